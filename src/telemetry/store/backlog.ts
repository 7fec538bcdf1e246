import { telemetryLimits } from '../limits.ts';
import { weightOf } from '../row-weight.ts';
import type { TelemetryRows } from '../rows.ts';
import { type AnyRow, type TableName, tableNames } from './tables.ts';

/** Rows that wait to be stored, by table; limited in number and weight. */
export class Backlog {
  readonly #waiting: Record<TableName, AnyRow[]> = {
    spans: [],
    logs: [],
    metrics: [],
    hops: [],
    deployments: [],
    alerts: [],
  };
  #rows = 0;
  #bytes = 0;

  get rows(): number {
    return this.#rows;
  }

  get isFull(): boolean {
    return (
      this.#rows >= telemetryLimits.telemetryQueueRowsMax ||
      this.#bytes >= telemetryLimits.telemetryQueueBytesMax
    );
  }

  /** Returns how many did not fit. */
  add(table: TableName, rows: readonly AnyRow[]): number {
    let taken = 0;
    while (taken < rows.length && !this.isFull) {
      const row = rows[taken++] as AnyRow;
      this.#waiting[table].push(row);
      this.#rows += 1;
      this.#bytes += weightOf(table, row as never);
    }
    return rows.length - taken;
  }

  /** The oldest rows of each table, to be stored together. They stay until they are removed. */
  batch(): TelemetryRows {
    const size = telemetryLimits.telemetryBatchRowsMax;
    const first = (table: TableName) => this.#waiting[table].slice(0, size);
    // Object.fromEntries loses the types of the table names.
    return Object.fromEntries(
      tableNames.map((table) => [table, first(table)]),
    ) as unknown as TelemetryRows;
  }

  remove(batch: TelemetryRows): void {
    for (const table of tableNames) {
      const gone = this.#waiting[table].splice(0, batch[table].length);
      this.#rows -= gone.length;
      for (const row of gone) this.#bytes -= weightOf(table, row as never);
    }
  }
}

export function rowCount(rows: TelemetryRows): number {
  return tableNames.reduce((sum, table) => sum + rows[table].length, 0);
}
