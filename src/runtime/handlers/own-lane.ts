import { type Actor, fault } from '../../kernel/index.ts';
import type { Lane, Lanes } from '../../lanes/index.ts';

/** An agent sees and ends its own lanes; people all. */
export function isOwnLane({ owner }: Pick<Lane, 'owner'>, actor: Actor): boolean {
  return !actor.startsWith('agent:') || owner === actor;
}

/** A lane of somebody else is none to an agent, as if it were closed. */
export function checkOwnLane(lane: Lane, actor: Actor): Lane {
  if (isOwnLane(lane, actor)) return lane;
  throw fault('LANE_CLOSED', { lane: lane.lane });
}

/** Keys of the lanes whose telemetry somebody sees besides that of the baseline; undefined: all. */
export async function seenLanes(
  actor: Actor,
  lanes: Pick<Lanes, 'list' | 'closedOf'>,
): Promise<readonly string[] | undefined> {
  if (!actor.startsWith('agent:')) return undefined;
  const open = (await lanes.list()).filter((lane) => isOwnLane(lane, actor));
  // What a lane left is read mostly when it has done its work.
  return [...open.map(({ lane }) => lane), ...(await lanes.closedOf(actor))];
}
