import type { Disputed } from '../history/disputed.ts';
import type { Round } from '../observe/round.ts';
import { type Difference, findDifferences, findInTurns } from './index.ts';

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
  const before = findKnown(round, other, judged);
  if (before) return before;
  const { recordings, changed, isDisputed } = comparisonOf(round, other, judged);
  return keep(round, other, judged, findDifferences(recordings, changed, isDisputed));
}

/** Finds the same out beforehand, and lets others go first now and then. */
export async function compareInTurns(round: Round, other: Round, judged: Judged): Promise<void> {
  if (findKnown(round, other, judged)) return;
  keep(round, other, judged, await findInTurns(comparisonOf(round, other, judged)));
}

function findKnown(
  round: Round,
  other: Round,
  { changed, disputed }: Judged,
): readonly Difference[] | undefined {
  const before = known.get(round)?.get(other);
  const isSame = before?.disputed === disputed && before.changed.join() === changed.join();
  return isSame ? before?.differences : undefined;
}

function keep(
  round: Round,
  other: Round,
  judged: Judged,
  differences: readonly Difference[],
): readonly Difference[] {
  const byOther = known.get(round) ?? new WeakMap<Round, Compared>();
  known.set(round, byOther.set(other, { ...judged, differences }));
  return differences;
}

function comparisonOf(
  round: Round,
  other: Round,
  { changed, disputed }: Judged,
): Parameters<typeof findInTurns>[0] {
  const recordings = { ...round, baseline: other.control };
  return { recordings, changed, isDisputed: (one) => disputed.hasDifference(one) };
}
