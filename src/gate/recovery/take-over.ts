import { fault, type Instant, isLive, type Lease } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import { type SlotRow, slotKey, takeSlot } from '../slots/index.ts';
import type { Recovery } from './open-recovery.ts';

/**
 * The locks of a call in doubt, under new fences: whoever sees one of them refuses what is left
 * of the first call on its way, so that what is read afterwards stays so. A fault while somebody
 * else holds one of them: then it is too early to look.
 */
export function takeLocksOver({ row, contract }: Recovery, rows: ReadRows, now: Instant): Lease[] {
  const ttlMs = contract?.concurrency?.leaseMs;
  // What is settled holds nothing any more.
  if (row.status === 'committed' || ttlMs === undefined) return [];
  return locksOf(row).map(({ resource, fence }) => {
    const slot = rows.get<SlotRow>(slotKey(resource)) ?? { fence: 0, leases: [] };
    const others = slot.leases.filter((lease) => lease.fence !== fence);
    const request = { resource, max: 1, owner: row.proposal, ttlMs, reap: 'expire' };
    const taken = takeSlot({ fence: slot.fence, leases: others }, request, now);
    if ('lease' in taken) return taken.lease;
    const owner = others.find((lease) => isLive(lease, now))?.owner ?? '';
    const seconds = Math.ceil((taken.takenUntil - now) / 1_000);
    throw fault('LEASE_HELD', { resource, owner, seconds });
  });
}

/** Only locks: the number of a place that others have as well says nothing about them. */
export function locksOf({ leases }: Recovery['row']): Recovery['row']['leases'] {
  return leases.filter(({ resource }) => resource.startsWith('lock:'));
}

/** The recovery as it goes on once it has taken them. */
export function withLocks(recovery: Recovery, taken: readonly Lease[]): Recovery {
  const { row, settling } = recovery;
  const leases = row.leases.map(({ resource, fence }) => {
    const newer = taken.find((lease) => lease.resource === resource);
    return { resource, fence: newer?.fence ?? fence };
  });
  return { ...recovery, row: { ...row, leases }, settling: { ...settling, leases } };
}
