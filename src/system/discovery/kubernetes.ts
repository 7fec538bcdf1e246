import {
  type DiscoveredService,
  type FileDiscovery,
  type FoundStore,
  serviceNameOf,
} from './found.ts';
import { type ClusterValues, clusterValues, containerVariables } from './kubernetes-variables.ts';
import { type OneShot, stepOf, storeOfOneShot, usualVariables } from './one-shot.ts';
import { directoryOf, type FoundProgram, imageName, programOf } from './program.ts';
import { list, type Repository, record, shellLine, text } from './repository.ts';
import { storeKindOf, storeOf } from './stores.ts';

type Manifest = Readonly<Record<string, unknown>>;

const workloads = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'Pod', 'DaemonSet']);

/** Files of Kubernetes manifests, wherever they are; templates of other tools are none. */
export function kubernetesFiles(repository: Repository): string[] {
  const kinds = new Set([
    ...workloads,
    'Service',
    'ConfigMap',
    'Secret',
    'Ingress',
    'Job',
    'HTTPRoute',
  ]);
  const files = repository.files().filter((file) => /\.ya?ml$/.test(file));
  // Variations of the same system: what they add is not always there.
  const plain = files.filter((file) => !/(?:^|\/)(?:components|overlays|patches)\//.test(file));
  return plain
    .filter(
      (file) =>
        /^apiVersion:/m.test(repository.text(file)) && !repository.text(file).includes('{{'),
    )
    .filter((file) => repository.yaml(file).some((one) => kinds.has(String(record(one).kind))));
}

export interface KubernetesPlace {
  readonly files: readonly string[];
  /** Directories by the images that are built from them, where another tool says so. */
  readonly contexts?: Readonly<Record<string, string>>;
}

interface Found {
  readonly manifest: Manifest;
  readonly where: string;
}

interface Cluster {
  readonly repository: Repository;
  readonly contexts: Readonly<Record<string, string>>;
  readonly values: ClusterValues;
  readonly services: readonly Manifest[];
  readonly published: ReadonlySet<string>;
}

export function readKubernetes(
  repository: Repository,
  { files, contexts = {} }: KubernetesPlace,
): FileDiscovery {
  const manifests = files.flatMap((where) =>
    repository.yaml(where).map((manifest) => ({ manifest: record(manifest), where })),
  );
  const ofKind = (...kinds: string[]): Manifest[] =>
    manifests.flatMap(({ manifest }) => (kinds.includes(String(manifest.kind)) ? [manifest] : []));
  const services = ofKind('Service');
  const cluster: Cluster = {
    repository,
    contexts,
    values: clusterValues(ofKind('ConfigMap', 'Secret')),
    services,
    published: publishedNames(services, ofKind('Ingress', 'HTTPRoute')),
  };
  const found = manifests.filter(({ manifest }) => workloads.has(String(manifest.kind)));
  const isStore = ({ manifest }: Found): boolean =>
    storeKindOf(text(containerOf(manifest).image)) !== undefined;
  const stores = found.filter(isStore).flatMap((one) => storeIn(cluster, one));
  const jobs = manifests.filter(({ manifest }) => manifest.kind === 'Job');
  return {
    services: found.filter((one) => !isStore(one)).map((one) => workloadOf(cluster, one)),
    stores: jobs.reduce((known, job) => withJob(cluster, known, job), stores),
  };
}

function containerOf(manifest: Manifest): Manifest {
  return record(list(podOf(manifest).containers)[0]);
}

function podOf(manifest: Manifest): Manifest {
  const specification = record(manifest.spec);
  return manifest.kind === 'Pod' ? specification : record(record(specification.template).spec);
}

function programIn(cluster: Cluster, manifest: Manifest): FoundProgram | { directory: undefined } {
  const container = containerOf(manifest);
  const image = text(container.image);
  const name = nameOf(manifest);
  const built = Object.entries(cluster.contexts).find(
    ([one]) => imageName(one) === imageName(image),
  );
  const { repository } = cluster;
  const directory =
    built?.[1] ?? directoryOf(repository, name) ?? directoryOf(repository, imageName(image) ?? '');
  if (directory === undefined) return { directory };
  const words = [...list(container.command), ...list(container.args)];
  const { environment } = containerVariables(container, cluster.values);
  const port = Number(portOf(container).containerPort) || undefined;
  return programOf(repository, { directory, name, line: shellLine(words), environment, port });
}

function nameOf(manifest: Manifest): string {
  const image = imageName(text(containerOf(manifest).image));
  return serviceNameOf(text(record(manifest.metadata).name) ?? image ?? '');
}

const portOf = (container: Manifest): Manifest => record(list(container.ports)[0]);

function workloadOf(cluster: Cluster, { manifest, where }: Found): DiscoveredService {
  const container = containerOf(manifest);
  const program = programIn(cluster, manifest);
  const { environment, secrets } = containerVariables(container, cluster.values);
  const named = serviceNames(manifest, cluster.services);
  const name = nameOf(manifest);
  return {
    port: Number(portOf(container).containerPort) || undefined,
    environment,
    ...program,
    name,
    health: healthOf(container),
    limits: limitsOf(record(record(container.resources).limits)),
    secrets,
    aliases: named.map(({ host, port }) => `${host}:${port}`),
    isPublished: named.some(({ host }) => cluster.published.has(host)),
    protocol: isGrpc(container) ? 'grpc' : undefined,
    where,
  };
}

/** By the name of its port, or because its health is asked by gRPC. */
function isGrpc(container: Manifest): boolean {
  const probe = record(container.readinessProbe ?? container.livenessProbe);
  return probe.grpc !== undefined || text(portOf(container).name) === 'grpc';
}

function healthOf(container: Manifest): string | undefined {
  const probe = record(container.readinessProbe ?? container.livenessProbe);
  return text(record(probe.httpGet).path);
}

function limitsOf({ memory, cpu }: Manifest): DiscoveredService['limits'] {
  const memoryMb = memoryMbOf(text(memory));
  const share = cpuOf(text(cpu));
  return {
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(share === undefined ? {} : { cpu: share }),
  };
}

const unitsMb: Readonly<Record<string, number>> = { Mi: 1, Gi: 1_024, M: 0.954, G: 954 };

function memoryMbOf(amount: string | undefined): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(Mi|Gi|M|G)$/.exec(amount ?? '') ?? [];
  return number === undefined ? undefined : Math.round(Number(number) * (unitsMb[unit] ?? 1));
}

function cpuOf(amount: string | undefined): number | undefined {
  if (amount === undefined) return undefined;
  const share = amount.endsWith('m') ? Number(amount.slice(0, -1)) / 1_000 : Number(amount);
  return share > 0 ? share : undefined;
}

/** The names and ports by which others call it inside of the cluster. */
function serviceNames(
  workload: Manifest,
  services: readonly Manifest[],
): { readonly host: string; readonly port: string }[] {
  const template = record(record(workload.spec).template);
  const labels = record(
    record(workload.kind === 'Pod' ? workload.metadata : template.metadata).labels,
  );
  return services.flatMap((service) => {
    const specification = record(service.spec);
    const selector = Object.entries(record(specification.selector));
    const isMeant = selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
    const host = text(record(service.metadata).name);
    const port = text(record(list(specification.ports)[0]).port);
    return isMeant && host && port ? [{ host, port }] : [];
  });
}

/** Services that somebody outside of the cluster can call. */
function publishedNames(services: readonly Manifest[], routes: readonly Manifest[]): Set<string> {
  const open = services.filter(({ spec }) =>
    /LoadBalancer|NodePort/.test(String(record(spec).type)),
  );
  const routed = routes.flatMap((route) => [
    ...JSON.stringify(route.spec ?? {}).matchAll(
      /"(?:service|backendRefs)":\[?\{[^}]*?"name":"([^"]+)"/g,
    ),
  ]);
  const named = open.map(({ metadata }) => text(record(metadata).name) ?? '');
  return new Set([...named, ...routed.map(([, name = '']) => name)]);
}

function storeIn(cluster: Cluster, { manifest, where }: Found): FoundStore[] {
  const container = containerOf(manifest);
  const hosts = serviceNames(manifest, cluster.services).map(({ host }) => host);
  const name = nameOf(manifest);
  const { environment } = containerVariables(container, cluster.values);
  const image = text(container.image) ?? '';
  return storeOf({ name, hosts: [...new Set([...hosts, name])], image, environment, where });
}

/** A job that names a database migrates it. */
function withJob(cluster: Cluster, stores: readonly FoundStore[], job: Found): FoundStore[] {
  const container = containerOf(job.manifest);
  const program = programIn(cluster, job.manifest);
  const words = [...list(container.command), ...list(container.args)];
  const given = 'command' in program ? program.command : shellLine(words);
  const { environment } = containerVariables(container, cluster.values);
  const oneShot: OneShot = {
    name: nameOf(job.manifest),
    command: given ?? '',
    directory: program.directory ?? '.',
    environment,
    mounts: {},
  };
  const store = given ? storeOfOneShot(oneShot, stores) : undefined;
  return stores.map((one) =>
    one === store ? { ...one, migrations: stepOf(oneShot, one, usualVariables[one.kind]) } : one,
  );
}
