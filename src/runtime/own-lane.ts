import { type Actor, fault } from '../kernel/index.ts';
import type { Lane } from '../lanes/index.ts';

/** An agent sees and ends its own lanes; people all. */
export function isOwnLane({ owner }: Pick<Lane, 'owner'>, actor: Actor): boolean {
  return !actor.startsWith('agent:') || owner === actor;
}

/** A lane of somebody else is none to an agent, as if it were closed. */
export function checkOwnLane(lane: Lane, actor: Actor): Lane {
  if (isOwnLane(lane, actor)) return lane;
  throw fault('LANE_CLOSED', { lane: lane.lane });
}
