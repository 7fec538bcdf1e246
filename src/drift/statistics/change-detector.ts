import { driftParameters } from '../parameters.ts';

/** What is usual for a scalar signal with values in [0, 1]. */
export interface UsualValue {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/** The evidence so far that the mean of the signal has risen. */
export interface ChangeEvidence {
  /** Shiryaev–Roberts sum of bets. */
  readonly evidence: number;
  /** The number of the observation after which the change began, if there is one. */
  readonly since: number;
}

export const noUsualValue: UsualValue = { count: 0, sum: 0, squares: 0 };
export const noEvidence: ChangeEvidence = { evidence: 0, since: 0 };

export function learnValue({ count, sum, squares }: UsualValue, value: number): UsualValue {
  return { count: count + 1, sum: sum + value, squares: squares + value * value };
}

export const isLearned = ({ count }: UsualValue): boolean =>
  count >= driftParameters.scalarReference;

/**
 * The highest mean that counts as usual: the learned one, what its own uncertainty adds, and the
 * smallest rise that matters.
 */
export function usualMeanMax({ count, sum, squares }: UsualValue, rise: number): number {
  const mean = sum / count;
  const variance = Math.max(0, squares / count - mean * mean);
  return Math.min(0.99, mean + 3 * Math.sqrt(variance / count) + rise);
}

/**
 * Bets on each value that the mean is above the usual one, starting a new bet with every value. As
 * long as it is not above, the sum reaches 1 / a only after 1 / a values on average or later: the
 * false-alarm bound of an e-detector (Shin, Ramdas and Rinaldo, 2022).
 */
export function observeValue(
  before: ChangeEvidence,
  value: number,
  usual: UsualValue,
  { rise, number }: { readonly rise: number; readonly number: number },
): ChangeEvidence {
  const mean = usualMeanMax(usual, rise);
  const factor = 1 + stakeOf(usual, mean, rise) * (value - mean);
  const grown = (before.evidence + 1) * factor;
  // A cap, so that a signal that is usual again is recognised within a bounded number of values.
  const evidence = Number(Math.min(grown, 10 * driftParameters.evidenceNeeded).toPrecision(6));
  const since = evidence < 1 || before.evidence < 1 ? number : before.since;
  return { evidence, since };
}

export const hasChanged = ({ evidence }: ChangeEvidence): boolean =>
  evidence >= driftParameters.evidenceNeeded;

/** Near the best stake for a rise by as much again; a lost bet never takes all. */
function stakeOf({ count, sum, squares }: UsualValue, mean: number, rise: number): number {
  const variance = Math.max(0, squares / count - (sum / count) ** 2);
  const expected = 2 * rise;
  return Math.min(0.9 / mean, expected / (variance + expected * expected));
}
