import type { ChangeFacts, Lanes } from '../../lanes/index.ts';
import type { PairRequest } from './lane-pair.ts';

/** What a verdict is about: a change, or services that are started anew as they are. */
export interface LookedAt {
  readonly patch: string;
  readonly base: string;
  readonly restarted?: readonly string[] | undefined;
}

export function pairOf({ patch, base, restarted }: LookedAt): PairRequest {
  return restarted ? { base, services: restarted } : { base, patch };
}

/** What is changed, as git tells it. */
export async function diffOf(
  { patch, base, restarted }: LookedAt,
  lanes: Pick<Lanes, 'diffOf'>,
): Promise<string> {
  return restarted ? '' : lanes.diffOf({ patch, base });
}

export async function factsOf(
  { patch, base, restarted }: LookedAt,
  lanes: Pick<Lanes, 'factsOf'>,
): Promise<ChangeFacts> {
  if (restarted) return { files: [], services: [...restarted], kinds: [] };
  return lanes.factsOf({ patch, base });
}
