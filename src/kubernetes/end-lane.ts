import { setTimeout as delay } from 'node:timers/promises';
import { connectCluster } from './cluster/cluster.ts';
import { objectPath, selected } from './cluster/paths.ts';
import { laneLabel, laneName } from './objects/lane-labels.ts';
import { moveTimer } from './run/lane-objects.ts';

export interface LanePlace {
  readonly namespace: string;
  readonly context?: string | undefined;
}

const lookEveryMs = 200;
/** Longer than the grace time that most pods have; the cluster ends what is left by itself. */
const goneMsMax = 45_000;

/** Deletes the owner of everything that the lane has, and waits until its pods are gone. */
export async function endLane(lane: string, { namespace, context }: LanePlace): Promise<void> {
  const cluster = await connectCluster(context);
  await cluster.remove(objectPath('jobs', namespace, laneName(lane)));
  const pods = selected('pods', namespace, { [laneLabel]: lane });
  const deadline = performance.now() + goneMsMax;
  while (performance.now() < deadline) {
    const { items } = await cluster.call<{ items: unknown[] }>(pods, { what: 'list pods' });
    if (items.length === 0) return;
    await delay(lookEveryMs);
  }
}

/** Lets the objects of a lane live until then. */
export async function extendLane(lane: string, endsAt: number, place: LanePlace): Promise<void> {
  const { namespace, context } = place;
  await moveTimer({ lane, namespace, endsAt }, await connectCluster(context));
}
