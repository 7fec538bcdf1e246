import { readEntry } from './entry.ts';
import { MemoryRows } from './memory-rows.ts';
import type { Projections } from './projection.ts';
import type { StoreReader } from './store.ts';

export interface RowDifference {
  readonly key: string;
  /** What the chain says; null if the row should not exist. */
  readonly expected: string | null;
  /** What is stored; null if there is no such row. */
  readonly stored: string | null;
}

export interface Rebuild {
  readonly entries: number;
  readonly rows: number;
  readonly differences: readonly RowDifference[];
}

const differencesShown = 20;

/** Computes every row again from the chain alone and compares it with what is stored. */
export async function rebuildRows(source: StoreReader, projections: Projections): Promise<Rebuild> {
  const { rows, entries } = await replayRows(source, projections);
  const differences: RowDifference[] = [];
  let count = 0;
  for await (const page of source.scanRows('')) {
    for (const { key, value } of page) {
      count++;
      const expected = rows.take(key);
      if (expected !== value) differences.push({ key, expected, stored: value });
    }
  }
  for (const [key, expected] of rows.left()) differences.push({ key, expected, stored: null });
  return { entries, rows: count, differences: differences.slice(0, differencesShown) };
}

async function replayRows(
  source: StoreReader,
  projections: Projections,
): Promise<{ rows: MemoryRows; entries: number }> {
  const rows = new MemoryRows();
  let entries = 0;
  for await (const page of source.scanEntries(0)) {
    for (const stored of page) {
      entries++;
      if (projections.listensTo(stored.kind)) projections.apply(rows, readEntry(stored));
    }
  }
  return { rows, entries };
}
