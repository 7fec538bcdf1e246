import { fault, type Instant, isLive, type Lease } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import { type SlotRow, slotKey, takeSlot } from '../slots/index.ts';
import type { Recovery } from './open-recovery.ts';

/**
 * Takes the locks of an unknown call under new fences. Resources that check fences then refuse the
 * rest of the first call, so that a later read stays true. Throws while another call holds one of
 * them, because it is too early to read.
 */
export function takeLocksOver({ row, contract }: Recovery, rows: ReadRows, now: Instant): Lease[] {
  const ttlMs = contract?.concurrency?.leaseMs;
  // A settled call holds nothing.
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

/** Only locks: the fence of one place among several protects nothing. */
export function locksOf({ leases }: Recovery['row']): Recovery['row']['leases'] {
  return leases.filter(({ resource }) => resource.startsWith('lock:'));
}

/**
 * Whether another call has held one of its locks since. Recovery itself takes locks over; then the
 * row has the new fence.
 */
export function hasSuccessor(
  row: Recovery['row'],
  slotOf: (resource: string) => SlotRow | undefined,
): boolean {
  return locksOf(row).some(({ resource, fence }) => (slotOf(resource)?.fence ?? fence) > fence);
}

/** The recovery with the new locks. */
export function withLocks(recovery: Recovery, taken: readonly Lease[]): Recovery {
  const { row, settling } = recovery;
  const leases = row.leases.map(({ resource, fence }) => {
    const newer = taken.find((lease) => lease.resource === resource);
    return { resource, fence: newer?.fence ?? fence };
  });
  return { ...recovery, row: { ...row, leases }, settling: { ...settling, leases } };
}
