import type { Instant } from './clock.ts';
import { fault } from './fault.ts';
import { sharedLimits } from './limits.ts';

/**
 * The one mechanism for anything held for a while: slots, locks, the life of a lane or a probe, the
 * ownership of a run. The fence grows with every new holder and is never given back, so that a
 * holder that was paused past its end can be told from the present one.
 */
export interface Lease {
  readonly resource: string;
  readonly owner: string;
  readonly fence: number;
  readonly expiresAt: Instant;
  /** What to do with the resource when the lease ends by itself. */
  readonly reap: string;
}

export interface LeaseRequest {
  readonly resource: string;
  readonly owner: string;
  readonly ttlMs: number;
  readonly reap: string;
}

/** The lease that `request` would get; a fault if somebody else holds the resource. */
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

export function renewLease(
  last: Lease | undefined,
  fence: number,
  ttlMs: number,
  now: Instant,
): Lease {
  checkTtl(ttlMs);
  return { ...checkHolder(last, fence, now), expiresAt: now + ttlMs };
}

/** Ends the lease now. The row stays: its fence must never be handed out again. */
export function endLease(last: Lease | undefined, fence: number, now: Instant): Lease {
  return { ...checkHolder(last, fence, now), expiresAt: now };
}

/** A write under a lease passes only with the present fence, before the end. */
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
