import { readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { V1Deployment, V1Pod, V1Service } from '@kubernetes/client-node';
import { fault } from '../../kernel/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { collectionPath, objectPath, selected } from '../cluster/paths.ts';
import type { PodRun } from './pod-run.ts';

interface List<Item> {
  readonly items: readonly Item[];
}

/** The Deployment that a candidate is derived from: this version's manifest, or the running one. */
export async function findTemplate(run: PodRun, cluster: Cluster): Promise<V1Deployment> {
  const { deployment, manifest, namespace } = run;
  const found =
    manifest === undefined
      ? await cluster.find<V1Deployment>(
          objectPath('deployments', namespace, deployment),
          `get the Deployment ${deployment}`,
        )
      : await readManifest(run.directory, manifest, deployment);
  if (found) return found;
  const place = manifest === undefined ? `the namespace ${namespace}` : manifest;
  throw fault('KUBERNETES_DEPLOYMENT_UNKNOWN', { deployment, place });
}

/** A change may have put a link in its place: what lies outside of its version is not read. */
async function readManifest(
  directory: string,
  path: string,
  name: string,
): Promise<V1Deployment | undefined> {
  const { loadAllYaml } = await import('@kubernetes/client-node');
  const file = await realpath(join(directory, path)).catch(() => undefined);
  if (!file?.startsWith(`${await realpath(directory)}${sep}`)) return undefined;
  const documents = loadAllYaml(await readFile(file, 'utf8')) as (V1Deployment | null)[];
  return (
    documents.find((one) => one?.kind === 'Deployment' && one.metadata?.name === name) ?? undefined
  );
}

/** A Service that takes unready pods, too, would send the baseline's requests to a lane. */
export async function checkServices(
  { spec }: V1Deployment,
  { namespace }: Pick<PodRun, 'namespace'>,
  cluster: Cluster,
): Promise<void> {
  const path = collectionPath('services', namespace);
  const { items } = await cluster.call<List<V1Service>>(path, { what: 'list services' });
  const service = findUnsafeService(items, spec?.template.metadata?.labels ?? {});
  if (service) throw fault('KUBERNETES_LABELS_SHARED', { service });
}

/** Pure. Services of other lanes select by labels of theirs, which no template has. */
export function findUnsafeService(
  services: readonly V1Service[],
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const unsafe = services.find(({ spec }) => {
    const selector = Object.entries(spec?.selector ?? {});
    const isMatch =
      selector.length > 0 && selector.every(([name, value]) => labels[name] === value);
    return isMatch && spec?.publishNotReadyAddresses === true;
  });
  return unsafe?.metadata?.name;
}

/** An address of one of the baseline's pods, to find out from where they can be reached. */
export async function baselineAddress(
  { spec }: V1Deployment,
  { namespace }: Pick<PodRun, 'namespace'>,
  cluster: Cluster,
): Promise<string | undefined> {
  const path = selected('pods', namespace, spec?.selector.matchLabels ?? {});
  const { items } = await cluster.call<List<V1Pod>>(path, { what: 'list pods' });
  return items.find(({ status }) => status?.podIP)?.status?.podIP;
}
