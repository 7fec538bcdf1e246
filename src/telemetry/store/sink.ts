import { limits } from '../../kernel/index.ts';
import type { Rows, Sink } from '../rows.ts';
import { Backlog } from './backlog.ts';
import type { Store } from './store.ts';
import { type TableName, tableNames } from './tables.ts';

/** Why rows were not stored. */
export type Refusal = 'queue-full' | 'disk-full' | 'unwritable';

export interface SinkStatus {
  readonly stored: Readonly<Record<TableName, number>>;
  readonly refused: Readonly<Record<Refusal, Readonly<Record<TableName, number>>>>;
  /** Rows that wait to be stored: what would be lost if the process were killed now. */
  readonly waiting: number;
  /** Why nothing can be stored at present; null if it can. */
  readonly trouble: string | null;
}

export interface BatchingSink extends Sink {
  /** Resolves when all that was taken before is stored, or can't be. */
  flush(): Promise<void>;
  status(): SinkStatus;
  /** Stores the rest and stops. */
  close(): Promise<void>;
}

/** Collects rows and stores them in batches, in the order in which they came. */
export function createSink(store: Store): BatchingSink {
  return new StoreSink(store);
}

class StoreSink implements BatchingSink {
  readonly #store: Store;
  readonly #stored = noRows();
  readonly #refused = { 'queue-full': noRows(), 'disk-full': noRows(), unwritable: noRows() };
  #backlog = new Backlog();
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trouble: string | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  take(rows: Partial<Rows>): { readonly refused: number } {
    let refused = 0;
    for (const table of tableNames) {
      const left = this.#backlog.add(table, rows[table] ?? []);
      this.#refused['queue-full'][table] += left;
      refused += left;
    }
    this.#schedule();
    return { refused };
  }

  isFull(): boolean {
    return this.#backlog.isFull;
  }

  async flush(): Promise<void> {
    await this.#writing;
    await this.#writeAll();
  }

  status(): SinkStatus {
    return {
      stored: { ...this.#stored },
      refused: structuredClone(this.#refused),
      waiting: this.#backlog.rows,
      trouble: this.#trouble,
    };
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#backlog.rows >= limits.telemetryBatchRowsMax) void this.#writeAll();
    else this.#timer ??= setTimeout(() => void this.#writeAll(), limits.telemetryFlushMsMax);
  }

  #writeAll(): Promise<void> {
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#backlog.rows > 0) await this.#writeOne(this.#backlog.batch());
    await this.#store.tidy().catch(() => undefined);
  }

  async #writeOne(batch: Rows): Promise<void> {
    try {
      await this.#store.write(batch);
      this.#trouble = null;
      count(this.#stored, batch);
    } catch (error) {
      this.#trouble = (error as Error).message;
      count(this.#refused.unwritable, batch);
    }
    this.#backlog.remove(batch);
  }
}

function noRows(): Record<TableName, number> {
  return { spans: 0, logs: 0, metrics: 0, hops: 0, deployments: 0, alerts: 0 };
}

function count(into: Record<TableName, number>, batch: Rows): void {
  for (const table of tableNames) into[table] += batch[table].length;
}
