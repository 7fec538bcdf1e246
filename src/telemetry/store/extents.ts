import type { DuckDBConnection } from '@duckdb/node-api';
import type { Segment } from './segment.ts';
import type { TableName } from './tables.ts';

/** How many rows there are, and the times of the first and the last. */
export interface Extent {
  readonly rows: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

const none: Extent = { rows: 0, firstMs: null, lastMs: null };

/** Extents of tables. Those of finished segments are read only once. */
export class Extents {
  readonly #connection: DuckDBConnection;
  readonly #known = new Map<string, Extent>();

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  async of(table: TableName, segments: readonly Segment[]): Promise<Extent> {
    const found = await Promise.all(
      segments.map(async ({ name }, at) => {
        const isWritten = at === segments.length - 1;
        return isWritten ? this.#read(name, table) : this.#readOnce(name, table);
      }),
    );
    return found.reduce(together, none);
  }

  async #readOnce(segment: string, table: TableName): Promise<Extent> {
    const key = `${segment}.${table}`;
    const extent = this.#known.get(key) ?? (await this.#read(segment, table));
    this.#known.set(key, extent);
    return extent;
  }

  async #read(segment: string, table: TableName): Promise<Extent> {
    const sql = `SELECT count(*), epoch_ms(min(time)), epoch_ms(max(time))
      FROM ${segment}.main.${table}`;
    // A segment that was dropped meanwhile has no rows.
    const found = await this.#connection.runAndReadAll(sql).catch(() => null);
    const [rows, first, last] = found?.getRows()[0] ?? [];
    return { rows: Number(rows ?? 0), firstMs: whole(first), lastMs: whole(last) };
  }
}

function together(one: Extent, other: Extent): Extent {
  return {
    rows: one.rows + other.rows,
    firstMs: extreme(Math.min, one.firstMs, other.firstMs),
    lastMs: extreme(Math.max, one.lastMs, other.lastMs),
  };
}

function extreme(
  choose: (...values: number[]) => number,
  ...values: (number | null)[]
): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? choose(...known) : null;
}

function whole(value: unknown): number | null {
  return typeof value === 'bigint' ? Number(value) : null;
}
