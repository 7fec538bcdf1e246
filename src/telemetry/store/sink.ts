import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { telemetryLimits } from '../limits.ts';
import type { Sink, TelemetryRows } from '../rows.ts';
import { Backlog, rowCount } from './backlog.ts';
import { type EarlierIntake, IntakeJournal, readEarlier } from './intake.ts';
import type { TelemetryStore } from './store.ts';
import { type TableName, tableNames } from './tables.ts';
import { troubleOf } from './trouble.ts';

/** Why rows were not stored. */
export type SinkRefusal = 'queue-full' | 'disk-full' | 'unwritable';

export interface SinkStatus {
  readonly stored: RowCounts;
  readonly refused: Readonly<Record<SinkRefusal, RowCounts>>;
  /** Rows that wait to be stored, and would be lost if the process were killed now. */
  readonly waiting: number;
  /** Rows that earlier processes had accepted but not stored when they were killed. */
  readonly lost: number;
  /** Why nothing can be stored at present; null if rows are stored. */
  readonly trouble: string | null;
}

export interface BatchingSink extends Sink {
  /** Resolves when all rows accepted before are stored, or cannot be. */
  flush(): Promise<void>;
  status(): SinkStatus;
  /** Stores the remaining rows, if possible, and stops. */
  close(): Promise<void>;
}

export interface SinkOptions {
  /** Distinguishes this run of the process from earlier ones. */
  readonly run: string;
  /** Called when there was no memory for a batch, so that others free theirs. */
  relieve?(): void;
}

/** Collects rows and stores them in batches, in order of arrival. */
export async function createSink(
  store: TelemetryStore,
  options: SinkOptions,
): Promise<BatchingSink> {
  const file = join(store.directory, 'intake');
  const lost = await lostBefore(store, readEarlier(file));
  return new StoreSink({
    store,
    options,
    intake: new IntakeJournal(file, options.run, lost),
    lost,
  });
}

async function lostBefore(store: TelemetryStore, earlier: EarlierIntake | null): Promise<number> {
  if (earlier === null) return 0;
  const { run, taken, lost } = earlier;
  return lost + Math.max(0, taken - (await store.settled(run)));
}

interface Parts {
  readonly store: TelemetryStore;
  readonly options: SinkOptions;
  readonly intake: IntakeJournal;
  readonly lost: number;
}

class StoreSink implements BatchingSink {
  readonly #parts: Parts;
  readonly #stored = new Tally();
  readonly #refused: Readonly<Record<SinkRefusal, Tally>> = {
    'queue-full': new Tally(),
    'disk-full': new Tally(),
    unwritable: new Tally(),
  };
  readonly #backlog = new Backlog();
  #taken = 0;
  #settled = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trouble: string | null = null;
  #isClosing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  take(rows: Partial<TelemetryRows>): { readonly refused: number } {
    const before = this.#backlog.rows;
    const reason = troubleOf(this.#trouble) === 'disk-full' ? 'disk-full' : 'queue-full';
    let refused = 0;
    for (const table of tableNames) {
      const left = this.#backlog.add(table, rows[table] ?? []);
      this.#refused[reason].add(table, left);
      refused += left;
    }
    this.#taken += this.#backlog.rows - before;
    this.#parts.intake.note(this.#taken);
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
    const { 'queue-full': queue, 'disk-full': disk, unwritable } = this.#refused;
    return {
      stored: this.#stored.counts,
      refused: {
        'queue-full': queue.counts,
        'disk-full': disk.counts,
        unwritable: unwritable.counts,
      },
      waiting: this.#backlog.rows,
      lost: this.#parts.lost,
      trouble: this.#trouble,
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.flush();
    clearTimeout(this.#timer);
    this.#parts.intake.close();
  }

  #schedule(): void {
    if (this.#backlog.rows >= telemetryLimits.telemetryBatchRowsMax) void this.#writeAll();
    else
      this.#timer ??= setTimeout(() => void this.#writeAll(), telemetryLimits.telemetryFlushMsMax);
  }

  #writeAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
      // Rows that arrived during maintenance have waited long enough.
      if (this.#backlog.rows > 0 && !this.#isClosing) this.#schedule();
    });
    return this.#writing;
  }

  async #drain(): Promise<void> {
    while (this.#backlog.rows > 0) await this.#writeOne(this.#backlog.batch());
    await this.#parts.store.tidy().catch((error: Error) => {
      this.#trouble = error.message;
    });
  }

  async #writeOne(batch: TelemetryRows): Promise<void> {
    const settled = this.#settled + rowCount(batch);
    try {
      await this.#parts.store.write(batch, { run: this.#parts.options.run, settled });
      this.#trouble = null;
      this.#stored.addAll(batch);
    } catch (error) {
      this.#trouble = (error as Error).message;
      if (await this.#mayTryAgain(error)) return;
      this.#refused.unwritable.addAll(batch);
    }
    this.#settled = settled;
    this.#backlog.remove(batch);
  }

  /** Waits for trouble that goes away by itself; meanwhile the backlog accepts what it can. */
  async #mayTryAgain(error: unknown): Promise<boolean> {
    const trouble = troubleOf(error);
    if (trouble === null || this.#isClosing) return false;
    if (trouble === 'memory-full') this.#parts.options.relieve?.();
    await delay(telemetryLimits.telemetryRetryMs);
    return true;
  }
}

type RowCounts = Readonly<Record<TableName, number>>;

/** Rows, counted by their table. */
class Tally {
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
