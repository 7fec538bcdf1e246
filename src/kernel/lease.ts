import type { Instant } from './clock.ts';
import { fault } from './fault.ts';
import { sharedLimits } from './limits.ts';

/**
 * A slot or a lock that somebody holds for a while. The fence grows with every new holder and is
 * never reused, so a holder that was paused past its expiry can be told from the current one.
 * Processes and lanes expire in the keeper, probes in their target; neither needs a fence.
 */
export type Lease = {
  readonly resource: string;
  readonly owner: string;
  readonly fence: number;
  readonly expiresAt: Instant;
  /** What to do with the resource when the lease expires. */
  readonly reap: string;
};

export interface LeaseRequest {
  readonly resource: string;
  readonly owner: string;
  readonly ttlMs: number;
  readonly reap: string;
}

/** The lease that `request` gets; throws if somebody else holds the resource. */
export function takeLease(last: Lease | undefined, request: LeaseRequest, now: Instant): Lease {
  checkTtl(request.ttlMs);
  if (last && isLive(last, now)) {
    throw fault('LEASE_HELD', {
      resource: request.resource,
      owner: last.owner,
      seconds: Math.ceil((last.expiresAt - now) / 1_000),
    });
  }
  const { resource, owner, ttlMs, reap } = request;
  return { resource, owner, fence: (last?.fence ?? 0) + 1, expiresAt: now + ttlMs, reap };
}

/** The lease, if `fence` is the current one and has not expired; throws otherwise. */
export function checkHolder(last: Lease | undefined, fence: number, now: Instant): Lease {
  if (last?.fence === fence && isLive(last, now)) return last;
  throw fault('LEASE_LOST', { resource: last?.resource ?? 'unknown', fence });
}

export function isLive(lease: Lease, now: Instant): boolean {
  return now < lease.expiresAt;
}

function checkTtl(ttlMs: number): void {
  if (Number.isSafeInteger(ttlMs) && ttlMs > 0 && ttlMs <= sharedLimits.leaseMsMax) return;
  throw fault('LEASE_TTL_INVALID', { ttlMs, maxMs: sharedLimits.leaseMsMax });
}
