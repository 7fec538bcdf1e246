import { canonicalJson, type Instant, isLive, type Json } from '../kernel/index.ts';
import type { Ledger, ReadRows } from '../ledger/index.ts';
import type { PreparedQuestion } from './decision/index.ts';
import { readRow } from './rows.ts';
import { type SlotRow, slotKey } from './slots/index.ts';

/** How the locks of a call stood before anything was read for it: row by key. */
export type SeenLocks = ReadonlyMap<string, string>;

/**
 * What is read for a decision is read before its lock is taken. If somebody held that lock in
 * between, what was read may be what they have changed since.
 */
export async function seeLocks({ assessed }: PreparedQuestion, ledger: Ledger): Promise<SeenLocks> {
  const seen = new Map<string, string>();
  for (const { resource } of assessed.slots) {
    if (!resource.startsWith('lock:')) continue;
    seen.set(slotKey(resource), shown(await readRow<SlotRow>(ledger, slotKey(resource))));
  }
  return seen;
}

/** One that is held right now need not be read again for: it is refused for that alone. */
export function areReadsStale(seen: SeenLocks, rows: ReadRows, now: Instant): boolean {
  return [...seen].some(([key, before]) => {
    const row = rows.get<SlotRow>(key);
    const isHeld = row?.leases.some((lease) => isLive(lease, now)) ?? false;
    return !isHeld && shown(row) !== before;
  });
}

const shown = (row: SlotRow | undefined): string => canonicalJson((row ?? null) as Json);
