import type { SloConfig } from '../../system/index.ts';

/** Requests of one span of time, and how many of them missed the objective. */
export interface RequestBucket {
  /** Its start. */
  readonly at: number;
  readonly requests: number;
  readonly missed: number;
}

export interface BurnedBudget {
  readonly minutes: number;
  readonly requests: number;
  readonly missed: number;
  /** How many times faster than allowed. */
  readonly rate: number;
  readonly bound: number;
  readonly onset: number;
}

/** `unknown`: no request in the short window says whether it is over. */
export type BurnState =
  | { readonly state: 'burning'; readonly burned: BurnedBudget }
  | { readonly state: 'well' | 'unknown' };

/** Fewer missed requests are noise, whatever their share. */
export const missedMin = 5;

const shortShare = 12;

/**
 * Whether failures burn the error budget too fast, in a window and in its last twelfth. Once it is
 * burning, half the rate keeps it so: an alert at the bound must not come and go. Pure.
 */
export function burnOf(
  buckets: readonly RequestBucket[],
  { percent, burn }: { readonly percent: number; readonly burn: SloConfig['burn'] },
  { now, wasBurning }: { readonly now: number; readonly wasBurning: boolean },
): BurnState {
  const budget = (100 - percent) / 100;
  let isUnknown = true;
  for (const { minutes, rate: bound } of burn) {
    const wanted = wasBurning ? bound / 2 : bound;
    const own = buckets.filter(({ at }) => at > now - minutes * 60_000);
    const recent = own.filter(({ at }) => at > now - (minutes * 60_000) / shortShare);
    const [long, short] = [totalOf(own), totalOf(recent)];
    if (short.requests === 0) continue;
    isUnknown = false;
    const rate = long.missed / long.requests / budget;
    if (long.missed < missedMin || rate < wanted) continue;
    if (short.missed / short.requests / budget < wanted) continue;
    const onset = onsetOf(own, Math.min(0.5, bound * budget));
    return { state: 'burning', burned: { minutes, ...long, rate, bound, onset } };
  }
  return { state: isUnknown ? 'unknown' : 'well' };
}

function totalOf(buckets: readonly RequestBucket[]): { requests: number; missed: number } {
  const sum = (count: (bucket: RequestBucket) => number): number =>
    buckets.reduce((all, bucket) => all + count(bucket), 0);
  return { requests: sum(({ requests }) => requests), missed: sum(({ missed }) => missed) };
}

/** The start from which on most requests were missed beyond the bearable share (CUSUM). */
function onsetOf(buckets: readonly RequestBucket[], bearable: number): number {
  let [best, sum, onset] = [0, 0, buckets.at(-1)?.at ?? 0];
  for (const { at, requests, missed } of buckets.toReversed()) {
    sum += missed - bearable * requests;
    if (sum <= best) continue;
    [best, onset] = [sum, at];
  }
  return onset;
}
