import { canonicalJson, type Json } from '../kernel/index.ts';
import { readEntry } from './entry.ts';
import type { Projections, Rows } from './projection.ts';
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
): Promise<{ rows: ReplayedRows; entries: number }> {
  const rows = new ReplayedRows();
  let entries = 0;
  for await (const page of source.scanEntries(0)) {
    for (const stored of page) {
      entries++;
      if (projections.listensTo(stored.kind)) projections.apply(rows, readEntry(stored));
    }
  }
  return { rows, entries };
}

class ReplayedRows implements Rows {
  readonly #values = new Map<string, Json>();

  get<Value extends Json>(key: string): Value | undefined {
    return this.#values.get(key) as Value | undefined;
  }

  set(key: string, value: Json | undefined): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
  }

  take(key: string): string | null {
    const value = this.#values.get(key);
    this.#values.delete(key);
    return value === undefined ? null : canonicalJson(value);
  }

  *left(): Iterable<readonly [string, string]> {
    for (const [key, value] of this.#values) yield [key, canonicalJson(value)];
  }
}
