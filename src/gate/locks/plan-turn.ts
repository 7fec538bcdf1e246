import { type Instant, isLive, type JsonObject, type Lease } from '../../kernel/index.ts';
import type { Draft, ReadRows } from '../../ledger/index.ts';
import { gateLimits } from '../limits.ts';
import { lockResource, type SlotRow, slotKey, takeSlot } from '../slots/index.ts';
import { isOwnerLive, type LiveHolder, liveHolders } from './live-holders.ts';
import { type LockRow, lockKey, readWaiter, type Waiter } from './lock-row.ts';

/** Who holds a lock after a turn, who still waits, and the entries that say so. */
export interface LockTurn {
  readonly drafts: readonly Draft[];
  readonly holders: readonly LiveHolder[];
  readonly queue: readonly Waiter[];
  /** Places that nobody holds and nobody waits for. */
  readonly free: number;
  /** The last fence that was issued. */
  readonly fence: number;
}

const gate = 'surety:gate' as const;

/** Who asks or goes by itself, and the number of places if nobody uses the lock. */
export interface TurnChange {
  /** The owner that asks: what it has been given is its own from now on. */
  readonly claimant?: string;
  readonly fence?: number;
  readonly ticket?: string;
  readonly slots?: number;
}

/**
 * Takes the lock from holders whose time is over, takes waiters out of the queue whose time is
 * over, and gives free places to those who are first.
 */
export function planTurn(
  lock: string,
  rows: ReadRows,
  now: Instant,
  change: TurnChange = {},
): LockTurn {
  const slots = change.slots ?? 1;
  const row = rows.get<LockRow>(lockKey(lock)) ?? { lock, slots, holders: [], queue: [] };
  const slot = rows.get<SlotRow>(slotKey(lockResource(lock))) ?? { fence: 0, leases: [] };
  const live = liveHolders(row, rows, now).filter(({ lease }) => lease.fence !== change.fence);
  const ended = row.holders.filter(({ fence }) => !live.some(({ lease }) => lease.fence === fence));
  const waiters = row.queue.map(readWaiter);
  const queue = waiters.filter((waiter) => {
    const isOver = now >= waiter.until || !isOwnerLive(waiter.owner, rows, now);
    return waiter.ticket !== change.ticket && !isOver;
  });
  // A call whose contract names the lock holds a place, too.
  const taken = slot.leases.filter((lease) => {
    return isLive(lease, now) && !ended.some(({ fence }) => fence === lease.fence);
  });
  const free = Math.max(0, row.slots - taken.length);
  const next = queue.slice(0, free);
  const given = giveLeases(next, { lock, fence: slot.fence, claimant: change.claimant }, now);
  const claims = live.flatMap((holder) => claimOf(holder, change.claimant, now));
  return {
    drafts: [
      ...ended.map((holder) => released(lock, holder, change.fence)),
      ...waiters.filter((one) => !queue.includes(one)).map((one) => withdrawn(lock, one)),
      ...given.map((holder, index) => handedOver(lock, holder, next[index]?.ticket ?? '')),
      ...claims.map(({ owner, lease }) => renewed(lock, owner, lease)),
    ],
    holders: [
      ...live.map((holder) => claims.find(({ owner }) => owner === holder.owner) ?? holder),
      ...given,
    ],
    queue: queue.slice(free),
    free: free - given.length,
    fence: slot.fence + given.length,
  };
}

/** Whoever does not ask right now may have left: it gets the lock for a moment, to claim it. */
function giveLeases(
  next: readonly Waiter[],
  { lock, fence, claimant }: { lock: string; fence: number; claimant: string | undefined },
  now: Instant,
): LiveHolder[] {
  return next.map(({ owner, leaseMs }, index) => {
    const isClaimed = owner === claimant;
    const claimMs = isClaimed ? leaseMs : Math.min(leaseMs, gateLimits.lockClaimMs);
    const lease = leaseAfter(fence + index, { lock, owner, leaseMs: claimMs }, now);
    return { owner, lease, ...(isClaimed ? {} : { unclaimedMs: leaseMs }) };
  });
}

/** The full lease of a holder that has shown that it is still there. */
function claimOf(
  { owner, lease, unclaimedMs }: LiveHolder,
  claimant: string | undefined,
  now: Instant,
): LiveHolder[] {
  if (owner !== claimant || unclaimedMs === undefined) return [];
  return [{ owner, lease: { ...lease, expiresAt: now + unclaimedMs } }];
}

/** The lease of a free place, with the next fence. */
export function leaseAfter(
  fence: number,
  { lock, owner, leaseMs }: { lock: string; owner: string; leaseMs: number },
  now: Instant,
): Lease {
  const request = { resource: lockResource(lock), owner, ttlMs: leaseMs, reap: 'expire', max: 1 };
  const taken = takeSlot({ fence, leases: [] }, request, now);
  if ('lease' in taken) return taken.lease;
  throw new Error('an empty slot is taken');
}

function released(
  lock: string,
  { owner, fence }: LockRow['holders'][number],
  own: number | undefined,
): Draft {
  const why = fence === own ? 'released' : 'expired';
  const body = { lock, owner, why, released: [{ resource: lockResource(lock), fence }] };
  return { kind: 'lock-released', actor: gate, body };
}

function withdrawn(lock: string, { owner, ticket }: Waiter): Draft {
  return { kind: 'lock-withdrawn', actor: gate, body: { lock, owner, ticket } };
}

function handedOver(
  lock: string,
  { owner, lease, unclaimedMs }: LiveHolder,
  ticket: string,
): Draft {
  const { body, ...draft } = acquired(lock, owner, lease);
  const unclaimed = unclaimedMs === undefined ? {} : { unclaimedMs };
  return { ...draft, body: { ...body, ticket, ...unclaimed } };
}

export function acquired(lock: string, owner: string, lease: Lease, slots?: number): Draft {
  const more = slots === undefined ? {} : { slots };
  const body = { lock, owner, ticket: null, leases: [lease as Lease & JsonObject] };
  return { kind: 'lock-acquired', actor: gate, body: { ...body, ...more } };
}

export function renewed(lock: string, owner: string, { fence, expiresAt }: Lease): Draft {
  const body = { lock, owner, renewed: [{ resource: lockResource(lock), fence, expiresAt }] };
  return { kind: 'lock-renewed', actor: gate, body };
}
