import { canonicalJson, type Instant, isLive, type Json } from '../kernel/index.ts';
import { type Ledger, type ReadRows, readRow } from '../ledger/index.ts';
import type { PreparedQuestion } from './decision/index.ts';
import { type SlotRow, slotKey } from './slots/index.ts';

/** The locks of a call before its reads: row by key. */
export type LockStates = ReadonlyMap<string, string>;

/**
 * Reads for a decision happen before its lock is taken. If another call held that lock in between,
 * it may have changed what was read.
 */
export async function readLockStates(
  { assessed }: PreparedQuestion,
  ledger: Ledger,
): Promise<LockStates> {
  const states = new Map<string, string>();
  for (const { resource } of assessed.slots) {
    if (!resource.startsWith('lock:')) continue;
    states.set(
      slotKey(resource),
      formatLockState(await readRow<SlotRow>(ledger, slotKey(resource))),
    );
  }
  return states;
}

/** A lock that is held now does not need fresh reads, because the call is refused for it. */
export function areReadsStale(states: LockStates, rows: ReadRows, now: Instant): boolean {
  return [...states].some(([key, before]) => {
    const row = rows.get<SlotRow>(key);
    const isHeld = row?.leases.some((lease) => isLive(lease, now)) ?? false;
    return !isHeld && formatLockState(row) !== before;
  });
}

const formatLockState = (row: SlotRow | undefined): string => canonicalJson((row ?? null) as Json);
