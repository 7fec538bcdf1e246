import { type Difference, findDifferences } from './differences/index.ts';
import type { Disputed } from './disputed.ts';
import type { Round } from './rounds.ts';

export interface Judged {
  readonly changed: readonly string[];
  readonly disputed: Disputed;
}

interface Compared extends Judged {
  readonly differences: readonly Difference[];
}

const known = new WeakMap<Round, WeakMap<Round, Compared>>();

/**
 * What a round shows when another one's control tells what is noise. All rounds are looked at again
 * after each further one, and bodies are large: what two of them say is found out once.
 */
export function compareRounds(round: Round, other: Round, judged: Judged): readonly Difference[] {
  const { changed, disputed } = judged;
  const byOther = known.get(round) ?? new WeakMap<Round, Compared>();
  const before = byOther.get(other);
  const isSame = before?.disputed === disputed && before.changed.join() === changed.join();
  if (before && isSame) return before.differences;
  const recordings = { ...round, baseline: other.control };
  const differences = findDifferences(recordings, changed, (one) => disputed.hasDifference(one));
  known.set(round, byOther.set(other, { changed, disputed, differences }));
  return differences;
}
