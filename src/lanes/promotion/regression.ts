import { laneLimits } from '../limits.ts';

/** Requests to the promoted services before the promotion and since: how many failed, how slow. */
export type ErrorShares = {
  readonly before: ErrorCounts;
  readonly since: ErrorCounts;
};

type ErrorCounts = {
  readonly requests: number;
  readonly errors: number;
  /** Of the time that requests took; null without requests. */
  readonly medianMs?: number | null;
};

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

/** Why the watch does not know whether a promotion made things worse. */
export interface UnreadSignals {
  readonly reason: string;
  /** The signals are broken. Without this, requests are only missing, and may still come. */
  readonly isBroken: boolean;
}

/** Pure: services that reported requests before and report none since can't be judged. */
export function unreadOf(
  { before, since }: ErrorShares,
  services: readonly string[],
  /** Suites sent requests to them since. */
  isRepeated: boolean,
): UnreadSignals | null {
  if (before.requests === 0 || since.requests > 0) return null;
  const reason = `telemetry has no request to ${services.join(', ')} since the promotion, and ${before.requests} before`;
  return { reason, isBroken: isRepeated };
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
  return shares === null ? null : (worseShare(shares) ?? worseLatency(shares));
}

/** Slower by this factor, and by this much: a busy machine or other requests may explain less. */
const slowerTimes = 2;
const slowerMs = 50;

function worseLatency({ before, since }: ErrorShares): string | null {
  const { promotionLatencyRequestsMin: requestsMin } = laneLimits;
  if (before.requests < requestsMin || since.requests < requestsMin) return null;
  const [was, is] = [before.medianMs ?? null, since.medianMs ?? null];
  if (was === null || is === null) return null;
  if (is < was * slowerTimes || is < was + slowerMs) return null;
  return `half of ${since.requests} requests took ${Math.round(is)} ms or more, ${Math.round(was)} ms before`;
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
