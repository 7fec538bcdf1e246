import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Clock, type DirectoryLock, lockDirectory } from '../../kernel/index.ts';
import type { TelemetryRows } from '../rows.ts';
import { type Directories, quoted, startEngine } from './engine.ts';
import { type Extent, Extents } from './extents.ts';
import { isFinished, overdue, type Retention } from './retention.ts';
import { type Segment, segmentBytes } from './segment.ts';
import { type OpenSegment, type QuarantinedFile, Segments } from './segments.ts';
import { moveStatement, stage } from './staging.ts';
import { type TableName, tableNames } from './tables.ts';

export interface StoreOptions {
  readonly clock: Clock;
  readonly retention: Retention;
  readonly memoryMb?: number;
}

export interface TelemetryStoreStatus {
  readonly segments: number;
  readonly bytes: number;
  /** The earliest possible arrival of the oldest stored row; null if there is none. */
  readonly sinceMs: number | null;
  readonly setAside: readonly QuarantinedFile[];
}

/** Rows in DuckDB. There is one writer; queries use their own connections. */
export interface TelemetryStore {
  readonly directory: string;
  /** Atomic. Rows are durable when it resolves. */
  write(rows: Partial<TelemetryRows>, receipt?: Receipt): Promise<void>;
  /** How many rows of an earlier run of the process were stored or refused. */
  settled(run: string): Promise<number>;
  /** Begins a new segment if it is time, and drops what is too old or too much. */
  tidy(): Promise<void>;
  connect(): Promise<DuckDBConnection>;
  /** The extent of all stored rows of a table. */
  extent(table: TableName): Promise<Extent>;
  status(): TelemetryStoreStatus;
  close(): Promise<void>;
}

export async function openStore(directory: string, options: StoreOptions): Promise<TelemetryStore> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(directory, 'telemetry');
  try {
    const directories = makeDirectories(directory);
    const engine = await startEngine({ directories, ...options });
    const connection = await engine.connect();
    const segments = new Segments(connection, directories.segments);
    await segments.openAll();
    const reader = await engine.connect();
    const extents = new Extents(reader);
    return new DuckStore(directory, {
      engine,
      connection,
      reader,
      extents,
      segments,
      lock,
      options,
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Separate directories, because DuckDB may access only these. */
function makeDirectories(directory: string): Directories {
  const segments = join(directory, 'segments');
  mkdirSync(segments, { recursive: true, mode: 0o700 });
  return { segments, spill: join(directory, 'spill') };
}

interface Parts {
  readonly engine: DuckDBInstance;
  readonly connection: DuckDBConnection;
  readonly reader: DuckDBConnection;
  readonly extents: Extents;
  readonly segments: Segments;
  readonly lock: DirectoryLock;
  readonly options: StoreOptions;
}

class DuckStore implements TelemetryStore {
  readonly directory: string;
  readonly #parts: Parts;
  /** Writes run one after the other, on one connection. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(directory: string, parts: Parts) {
    this.directory = directory;
    this.#parts = parts;
  }

  write(rows: Partial<TelemetryRows>, receipt?: Receipt): Promise<void> {
    return this.#inTurn(() => this.#write(rows, receipt));
  }

  settled(run: string): Promise<number> {
    const { connection, segments } = this.#parts;
    return this.#inTurn(() => settledOf(connection, segments.all, run));
  }

  tidy(): Promise<void> {
    return this.#inTurn(() => this.#tidy());
  }

  connect(): Promise<DuckDBConnection> {
    return this.#parts.engine.connect();
  }

  extent(table: TableName): Promise<Extent> {
    return this.#parts.extents.of(table, this.#parts.segments.all);
  }

  status(): TelemetryStoreStatus {
    const { segments } = this.#parts;
    return {
      segments: segments.all.length,
      bytes: segments.bytes,
      sinceMs: segments.all[0]?.openedMs ?? null,
      setAside: segments.setAside,
    };
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => undefined);
    const { engine, connection, reader, lock } = this.#parts;
    reader.closeSync();
    connection.closeSync();
    engine.closeSync();
    lock.release();
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #write(rows: Partial<TelemetryRows>, receipt: Receipt | undefined): Promise<void> {
    const { connection, segments, options } = this.#parts;
    const filled = tableNames.filter((table) => (rows[table]?.length ?? 0) > 0);
    for (const table of filled) await stage(connection, table, rows[table] ?? []);
    const active = await segments.active(options.clock.now());
    const statements = filled.map((table) => moveStatement(table, active.name));
    if (receipt) statements.push(receiptStatement(receipt, active));
    try {
      await transact(connection, statements);
    } catch (error) {
      if (!(await this.#isStoredAfterAll(active, receipt))) throw error;
    }
  }

  /** A commit that failed may have taken place; the receipt in the segment shows it. */
  async #isStoredAfterAll(segment: OpenSegment, receipt: Receipt | undefined): Promise<boolean> {
    const { connection, segments } = this.#parts;
    await segments.reopen(segment);
    if (!receipt) return false;
    return (await settledOf(connection, segments.all, receipt.run)) >= receipt.settled;
  }

  async #tidy(): Promise<void> {
    const { segments, options } = this.#parts;
    const nowMs = options.clock.now();
    const sized = () => segments.all.map((segment) => ({ segment, bytes: segmentBytes(segment) }));
    if (isFinished(sized().at(-1), options.retention, nowMs)) await segments.begin(nowMs);
    for (const { segment } of overdue(sized(), options.retention, nowMs)) {
      await segments.drop(segment);
    }
  }
}

async function transact(
  connection: DuckDBConnection,
  statements: readonly string[],
): Promise<void> {
  await connection.run('BEGIN');
  try {
    for (const statement of statements) await connection.run(statement);
    await connection.run('COMMIT');
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Stored with each batch, so that one can check afterwards whether it was stored. */
interface Receipt {
  /** The run of the process. */
  readonly run: string;
  /** Rows accepted in that run and stored or refused, up to this batch. */
  readonly settled: number;
}

function receiptStatement({ run, settled }: Receipt, segment: Segment): string {
  return `INSERT INTO ${segment.name}.main.receipts VALUES (${quoted(run)}, ${settled})`;
}

/** How many rows of that run were stored or refused, according to these segments. */
async function settledOf(
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
