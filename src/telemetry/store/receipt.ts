import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from './engine.ts';
import type { Segment } from './segment.ts';

/** Stored with each batch, so that it is known afterwards whether it was. */
export interface Receipt {
  /** Of which life of the process. */
  readonly run: string;
  /** Rows that were taken in that life and are dealt with, up to this batch. */
  readonly settled: number;
}

export function receiptStatement({ run, settled }: Receipt, segment: Segment): string {
  return `INSERT INTO ${segment.name}.main.receipts VALUES (${quoted(run)}, ${settled})`;
}

/** How many rows of that life were dealt with, as far as these segments know. */
export async function settledOf(
  connection: DuckDBConnection,
  segments: readonly Segment[],
  run: string,
): Promise<number> {
  if (segments.length === 0) return 0;
  const all = segments.map(({ name }) => `SELECT * FROM ${name}.main.receipts`);
  const found = await connection.runAndReadAll(
    `SELECT coalesce(max(settled), 0) FROM (${all.join(' UNION ALL ')}) WHERE run = ${quoted(run)}`,
  );
  return Number(found.getRows()[0]?.[0] ?? 0);
}
