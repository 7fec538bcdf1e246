/** Counts by category; both sides of a comparison have the same categories in the same order. */
export type Counts = readonly number[];

export const totalOf = (counts: Counts): number => counts.reduce((sum, count) => sum + count, 0);

/** p · log2(p / m), which is 0 for a category that does not occur. */
const term = (share: number, middle: number): number =>
  share === 0 ? 0 : share * Math.log2(share / middle);

/**
 * The Jensen–Shannon divergence of two distributions, with logarithms of base 2: 0 if they are the
 * same, 1 if they share no category. An empty side tells nothing, so its divergence is 0.
 */
export function jensenShannon(one: Counts, other: Counts): number {
  const [sumOne, sumOther] = [totalOf(one), totalOf(other)];
  if (sumOne === 0 || sumOther === 0) return 0;
  let divergence = 0;
  for (let index = 0; index < one.length; index++) {
    const p = (one[index] as number) / sumOne;
    const q = (other[index] ?? 0) / sumOther;
    if (p === 0 && q === 0) continue;
    const middle = (p + q) / 2;
    divergence += (term(p, middle) + term(q, middle)) / 2;
  }
  return Math.min(1, Math.max(0, divergence));
}

/**
 * The divergence that two samples of the same distribution show on average: samples differ by
 * chance, and small ones differ much.
 */
export function chanceDivergence(one: Counts, other: Counts): number {
  const [sumOne, sumOther] = [totalOf(one), totalOf(other)];
  if (sumOne === 0 || sumOther === 0) return 0;
  return (freedomOf(one, other) / (8 * Math.LN2)) * (1 / sumOne + 1 / sumOther);
}

/** Degrees of freedom: the categories that occur at all, less one. */
export function freedomOf(one: Counts, other: Counts): number {
  let occurring = 0;
  for (let index = 0; index < one.length; index++) {
    if ((one[index] as number) + (other[index] ?? 0) > 0) occurring++;
  }
  return Math.max(0, occurring - 1);
}

/**
 * The likelihood-ratio statistic G of the hypothesis that both samples have the same distribution.
 * It is the Jensen–Shannon divergence weighted by sample size, times 2·n·ln 2.
 */
export function likelihoodRatio(one: Counts, other: Counts): number {
  const [sumOne, sumOther] = [totalOf(one), totalOf(other)];
  const all = sumOne + sumOther;
  let sum = 0;
  for (let index = 0; index < one.length; index++) {
    const count = one[index] as number;
    const second = other[index] ?? 0;
    if (count + second === 0) continue;
    const expected = (count + second) / all;
    if (count > 0) sum += count * Math.log(count / (expected * sumOne));
    if (second > 0) sum += second * Math.log(second / (expected * sumOther));
  }
  return Math.max(0, 2 * sum);
}
