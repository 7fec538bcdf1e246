import { distanceFrom, quantile, usualRange } from './robust.ts';

/** The moment at which a series became another one. */
export interface ChangePoint {
  /** Index of the first value after the change. */
  readonly index: number;
  /** How likely a change this clear is in a series that never changed. */
  readonly chance: number;
}

/**
 * Pettitt's test: where the ranks before and after differ most. It knows no distribution, and one
 * wild value counts as one rank.
 */
export function findChangePoint(values: readonly number[]): ChangePoint | null {
  const count = values.length;
  if (count < valuesMin) return null;
  const ranks = ranksOf(values);
  let [sum, most, index] = [0, 0, 0];
  for (const [at, rank] of ranks.entries()) {
    sum += 2 * rank - (count + 1);
    if (Math.abs(sum) <= most || at === count - 1) continue;
    [most, index] = [Math.abs(sum), at + 1];
  }
  const chance = Math.min(1, 2 * Math.exp((-6 * most * most) / (count ** 3 + count ** 2)));
  return index === 0 ? null : { index, chance };
}

const valuesMin = 8;

/** From 1; equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length).fill(0);
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end++;
    for (const index of order.slice(start, end)) ranks[index] = (start + 1 + end) / 2;
    start = end;
  }
  return ranks;
}

/**
 * How much more a series moved after the onset than it moves by itself: the most unusual quarter
 * after the onset, against what the second half before it is to the first half. 0 if not more.
 */
export function shiftScore(before: readonly number[], after: readonly number[]): number {
  if (before.length < halvesMin || after.length === 0) return 0;
  const half = Math.floor(before.length / 2);
  const own = unusualness(before.slice(0, half), before.slice(half));
  return Math.max(0, Math.log1p(unusualness(before, after)) - Math.log1p(own));
}

const halvesMin = 4;

/** A quarter, so that one wild value is none, and a fault that comes and goes is one. */
function unusualness(before: readonly number[], after: readonly number[]): number {
  const usual = usualRange(before);
  return quantile(
    after.map((value) => distanceFrom(usual, value)),
    0.875,
  );
}
