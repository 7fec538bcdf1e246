import type { V1Namespace } from '@kubernetes/client-node';
import { durationMs, durationPattern } from '../kernel/index.ts';
import { connectCluster } from './cluster/cluster.ts';
import { purpose, purposeLabel, ttlLabel } from './manifests/change-namespace.ts';

export interface ReapedNamespaces {
  readonly deleted: readonly string[];
  readonly kept: readonly string[];
}

/** Deletes the namespaces of changes whose `ttl` is over, whoever made them. */
export async function reapNamespaces(
  context: string | undefined,
  now: number,
): Promise<ReapedNamespaces> {
  const cluster = await connectCluster(context);
  const selector = encodeURIComponent(`${purposeLabel}=${purpose}`);
  const { items } = await cluster.call<{ items: V1Namespace[] }>(
    `/api/v1/namespaces?labelSelector=${selector}`,
    { what: 'list namespaces' },
  );
  const over = items.filter((one) => isOver(one, now)).map(nameOf);
  for (const name of over) await cluster.remove(`/api/v1/namespaces/${name}`);
  return { deleted: over, kept: items.map(nameOf).filter((name) => !over.includes(name)) };
}

/** Pure. One without a readable lifetime is left to people. */
export function isOver({ metadata }: V1Namespace, now: number): boolean {
  const ttl = metadata?.labels?.[ttlLabel] ?? '';
  const madeAt = metadata?.creationTimestamp;
  if (!durationPattern.test(ttl) || !madeAt || metadata?.deletionTimestamp) return false;
  return new Date(madeAt).getTime() + durationMs(ttl) <= now;
}

function nameOf({ metadata }: V1Namespace): string {
  return metadata?.name ?? '';
}
