import type { TelemetryRows } from '../rows.ts';
import { type TableName, tableNames } from './tables.ts';

export type RowCounts = Readonly<Record<TableName, number>>;

/** Rows, counted by their table. */
export class Tally {
  readonly #counts: Record<TableName, number> = {
    spans: 0,
    logs: 0,
    metrics: 0,
    hops: 0,
    deployments: 0,
    alerts: 0,
  };

  add(table: TableName, rows: number): void {
    this.#counts[table] += rows;
  }

  addAll(rows: TelemetryRows): void {
    for (const table of tableNames) this.#counts[table] += rows[table].length;
  }

  get counts(): RowCounts {
    return { ...this.#counts };
  }
}
