import {
  checkHolder,
  type Instant,
  isLive,
  type Lease,
  type LeaseRequest,
  sha256,
  takeLease,
} from '../../kernel/index.ts';

/** The holders of a resource, and the last fence issued for it. */
export type SlotRow = {
  readonly fence: number;
  readonly leases: readonly SlotLease[];
};

/** The JSON form of a lease. */
type SlotLease = { readonly [Key in keyof Lease]: Lease[Key] };

export interface SlotRequest extends LeaseRequest {
  /** The number of holders at once; 1 makes it a lock. */
  readonly max: number;
}

export type TakenSlot =
  | { readonly lease: Lease }
  /** When a place is free if nobody releases earlier. */
  | { readonly takenUntil: Instant };

/** Callers choose resource names. One that is not a valid row key is replaced by its hash. */
export function slotKey(resource: string): string {
  const isPlain = plainName.test(resource) && !resource.startsWith(hashed);
  return `slots/${isPlain ? resource : hashed + sha256(resource)}`;
}

/** A hash, because a lock may be named after a person and with any text. */
export function lockResource(lock: string): string {
  return `lock:${sha256(lock).slice(0, 32)}`;
}

const hashed = 'sha256:';
const plainName = /^[\x21-\x7e]{1,300}$/;

/**
 * The lease for a request if a place is free. An expired lease makes room, and its fence is never
 * issued again.
 */
export function takeSlot(row: SlotRow | undefined, request: SlotRequest, now: Instant): TakenSlot {
  const { max, ...wanted } = request;
  const first = takeLease(undefined, wanted, now);
  const live = (row?.leases ?? []).filter((lease) => isLive(lease, now));
  if (live.length < max) return { lease: { ...first, fence: (row?.fence ?? 0) + 1 } };
  const ends = live.map(({ expiresAt }) => expiresAt).sort((a, b) => a - b);
  return { takenUntil: ends[live.length - max] ?? Number.MAX_SAFE_INTEGER };
}

/** Ends a lease; throws if it has already ended. */
export function releaseSlot(row: SlotRow, fence: number, now: Instant): SlotRow {
  checkHolder(leaseOf(row, fence), fence, now);
  return withoutLease(row, fence);
}

/** Whether the holder of this fence still holds the resource. */
export function isCurrent(row: SlotRow | undefined, fence: number, now: Instant): boolean {
  const lease = row && leaseOf(row, fence);
  return lease !== undefined && isLive(lease, now);
}

function leaseOf({ leases }: SlotRow, fence: number): Lease | undefined {
  return leases.find((lease) => lease.fence === fence);
}

export function withoutLease({ fence: last, leases }: SlotRow, fence: number): SlotRow {
  return { fence: last, leases: leases.filter((lease) => lease.fence !== fence) };
}
