import { type Actor, fault } from '../../kernel/index.ts';
import type { Lane, Lanes } from '../../lanes/index.ts';

/** An agent sees and closes its own lanes; people all. */
export function isOwnLane({ owner }: Pick<Lane, 'owner'>, actor: Actor): boolean {
  return !actor.startsWith('agent:') || owner === actor;
}

/** To an agent, a lane of somebody else does not exist, as if it were closed. */
export function checkOwnLane(lane: Lane, actor: Actor): Lane {
  if (isOwnLane(lane, actor)) return lane;
  throw fault('LANE_CLOSED', { lane: lane.lane });
}

/**
 * Keys of the lanes whose telemetry the caller may see, in addition to the baseline; undefined:
 * all.
 */
export async function seenLanes(
  actor: Actor,
  lanes: Pick<Lanes, 'list' | 'closedOf'>,
): Promise<readonly string[] | undefined> {
  if (!actor.startsWith('agent:')) return undefined;
  const open = (await lanes.list()).filter((lane) => isOwnLane(lane, actor));
  // The telemetry of a lane is mostly read after it was closed.
  return [...open.map(({ lane }) => lane), ...(await lanes.closedOf(actor))];
}
