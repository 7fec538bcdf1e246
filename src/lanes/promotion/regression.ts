import { laneLimits } from '../limits.ts';

/** Requests to the promoted services before the promotion and since, and how many failed. */
export type ErrorShares = {
  readonly before: ErrorCounts;
  readonly since: ErrorCounts;
};

type ErrorCounts = { readonly requests: number; readonly errors: number };

export interface PromotionObservation {
  readonly services: readonly {
    readonly service: string;
    readonly state: string;
    readonly restarts: number;
    /** How often in a row it was seen not to run as it should. */
    readonly unhealthyLooks: number;
  }[];
  readonly shares: ErrorShares | null;
}

/** A share this much larger than before is no chance among so many errors. */
const shareMore = 0.05;

/** Pure: what got worse by a promotion, in words; null when nothing did. */
export function regressionOf({ services, shares }: PromotionObservation): string | null {
  // One that is stopped was stopped by somebody.
  const fallen = services.find(({ state }) => state === 'crashed');
  if (fallen) return `${fallen.service} crashed`;
  const restarted = services.find(({ restarts }) => restarts >= laneLimits.promotionRestartsMax);
  if (restarted) return `${restarted.service} had to be started again ${restarted.restarts} times`;
  const ill = services.find(
    ({ unhealthyLooks }) => unhealthyLooks >= laneLimits.promotionUnhealthyChecksMax,
  );
  if (ill) return `${ill.service} was not healthy ${ill.unhealthyLooks} times in a row`;
  return shares === null ? null : worseShare(shares);
}

function worseShare({ before, since }: ErrorShares): string | null {
  if (since.errors < laneLimits.promotionErrorsMin) return null;
  const [was, is] = [shareOf(before), shareOf(since)];
  if (is <= was + shareMore) return null;
  return `${since.errors} of ${since.requests} requests failed, ${before.errors} of ${before.requests} before`;
}

function shareOf({ requests, errors }: ErrorCounts): number {
  return requests === 0 ? 0 : errors / requests;
}
