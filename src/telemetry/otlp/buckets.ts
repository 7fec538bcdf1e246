import type { ExponentialDraft } from './drafts.ts';

/** `[upper bound, count up to it]`; the last bound is null, which stands for infinity. */
export function histogramBuckets(bounds: readonly number[], counts: readonly number[]): string {
  let sum = 0;
  const pairs = counts.map((count, index) => {
    sum += count;
    return [bounds[index] ?? null, sum];
  });
  return JSON.stringify(pairs);
}

/**
 * Buckets of an exponential histogram as those of any other, from the most negative bound up.
 * Bucket i of scale s ends at 2^((i + 1) / 2^s).
 */
export function exponentialBuckets(draft: ExponentialDraft): string {
  const { scale, zeroCount, zeroThreshold, positive, negative } = draft;
  const bound = (index: number): number => 2 ** (index * 2 ** -scale);
  const pairs: [number | null, number][] = [];
  let sum = 0;
  const add = (upper: number, count: number): void => {
    if (count === 0) return;
    sum += count;
    pairs.push([Number.isFinite(upper) ? upper : null, sum]);
  };
  for (let index = negative.counts.length - 1; index >= 0; index--) {
    add(-bound(negative.offset + index), negative.counts[index] ?? 0);
  }
  add(zeroThreshold, zeroCount);
  positive.counts.forEach((count, index) => {
    add(bound(positive.offset + index + 1), count);
  });
  pairs.push([null, sum]);
  return JSON.stringify(pairs);
}
