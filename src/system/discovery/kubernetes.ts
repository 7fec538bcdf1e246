import { type DiscoveredService, type FileDiscovery, serviceNameOf } from './found.ts';
import { directoryOf, imageName, programOf } from './program.ts';
import { list, type Repository, record, shellLine, text } from './repository.ts';

type Manifest = Readonly<Record<string, unknown>>;

const workloads = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'Pod']);

/** Files of Kubernetes manifests, wherever they are; templates of other tools are none. */
export function kubernetesFiles(repository: Repository): string[] {
  return repository
    .files()
    .filter((file) => /\.ya?ml$/.test(file))
    .filter((file) => /^apiVersion:/m.test(repository.text(file)))
    .filter((file) => repository.yaml(file).some((one) => workloads.has(String(record(one).kind))));
}

export interface KubernetesPlace {
  readonly files: readonly string[];
  /** Directories by the images that are built from them, where another tool says so. */
  readonly contexts?: Readonly<Record<string, string>>;
}

export function readKubernetes(
  repository: Repository,
  { files, contexts = {} }: KubernetesPlace,
): FileDiscovery {
  const manifests = files.flatMap((where) =>
    repository.yaml(where).map((manifest) => ({ manifest: record(manifest), where })),
  );
  const serviceManifests = manifests.flatMap(({ manifest }) =>
    manifest.kind === 'Service' ? [manifest] : [],
  );
  const services = manifests
    .filter(({ manifest }) => workloads.has(String(manifest.kind)))
    .map(({ manifest, where }) => {
      const found = workloadOf(repository, manifest, { where, contexts });
      return { ...found, aliases: aliasesOf(manifest, serviceManifests) };
    });
  return { services };
}

function workloadOf(
  repository: Repository,
  manifest: Manifest,
  { where, contexts }: { where: string; contexts: Readonly<Record<string, string>> },
): DiscoveredService {
  const container = record(list(podOf(manifest).containers)[0]);
  const image = text(container.image);
  const name = serviceNameOf(text(record(manifest.metadata).name) ?? imageName(image) ?? '');
  const context = Object.entries(contexts).find(([built]) => imageName(built) === imageName(image));
  const directory =
    context?.[1] ??
    directoryOf(repository, name) ??
    directoryOf(repository, imageName(image) ?? '');
  const program = directory === undefined ? {} : programOf(repository, directory);
  const words = [...list(container.command), ...list(container.args)];
  return {
    ...program,
    name,
    directory,
    command: shellLine(words) ?? program.command,
    port: Number(record(list(container.ports)[0]).containerPort) || program.port,
    health: healthOf(container),
    limits: limitsOf(record(record(container.resources).limits)),
    ...variablesOf(container),
    where,
  };
}

function podOf(manifest: Manifest): Manifest {
  const specification = record(manifest.spec);
  return manifest.kind === 'Pod' ? specification : record(record(specification.template).spec);
}

function healthOf(container: Manifest): string | undefined {
  const probe = record(container.readinessProbe ?? container.livenessProbe);
  return text(record(probe.httpGet).path);
}

/** What a cluster keeps as a secret is read from the environment here, under the same name. */
function variablesOf(
  container: Manifest,
): Required<Pick<DiscoveredService, 'environment' | 'secrets'>> {
  const environment: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const entry of list(container.env).map(record)) {
    const name = text(entry.name);
    if (name === undefined) continue;
    const source = record(entry.valueFrom);
    const value = text(entry.value);
    if (source.secretKeyRef !== undefined) secrets[name] = `env:${name}`;
    else if (value !== undefined) environment[name] = value;
    else if (source.configMapKeyRef !== undefined) environment[name] = `\${${name}}`;
  }
  return { environment, secrets };
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

/** The names by which others call it inside of the cluster. */
function aliasesOf(workload: Manifest, services: readonly Manifest[]): string[] {
  const template = record(record(workload.spec).template);
  const labels = record(
    record(workload.kind === 'Pod' ? workload.metadata : template.metadata).labels,
  );
  return services.flatMap((service) => {
    const specification = record(service.spec);
    const selector = Object.entries(record(specification.selector));
    const isMeant = selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
    const name = text(record(service.metadata).name);
    const port = text(record(list(specification.ports)[0]).port);
    return isMeant && name && port ? [`${name}:${port}`] : [];
  });
}
