import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster } from '../cluster/cluster.ts';
import { selected } from '../cluster/paths.ts';
import { laneLabel, serviceLabel } from '../objects/lane-labels.ts';
import type { PodRun } from './pod-run.ts';

interface PodList {
  readonly items: readonly V1Pod[];
  readonly metadata: { readonly resourceVersion: string };
}

/** How long the API server keeps one watch open. */
const watchSeconds = 300;
const againAfterMs = 200;

export async function listPods(run: PodRun, cluster: Cluster): Promise<PodList> {
  return cluster.call<PodList>(podsPath(run), { what: 'list pods' });
}

/**
 * The pod of an instance each time that something about it changes; null while there is none. A
 * watch costs the API server one open request, however long a lane lives.
 */
export async function* watchPod(run: PodRun, cluster: Cluster): AsyncGenerator<V1Pod | null> {
  for (;;) {
    const { items, metadata } = await listPods(run, cluster);
    yield items[0] ?? null;
    yield* watchFrom(metadata.resourceVersion, run, cluster);
    // The watch has run out, or the server went away: what was missed is in the next list.
    await delay(againAfterMs);
  }
}

async function* watchFrom(
  resourceVersion: string,
  run: PodRun,
  cluster: Cluster,
): AsyncGenerator<V1Pod | null> {
  const options = `watch=true&timeoutSeconds=${watchSeconds}&resourceVersion=${resourceVersion}`;
  const response = await cluster.stream(`${podsPath(run)}&${options}`, 'watch pods');
  const lines = createInterface({ input: response });
  try {
    for await (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: V1Pod };
      if (type === 'ERROR') return;
      if (type !== 'BOOKMARK') yield type === 'DELETED' ? null : object;
    }
  } catch {
    // A broken connection ends a watch like any other end.
  } finally {
    response.destroy();
  }
}

function podsPath({ lane, service, namespace }: PodRun): string {
  return selected('pods', namespace, { [laneLabel]: lane, [serviceLabel]: service });
}
