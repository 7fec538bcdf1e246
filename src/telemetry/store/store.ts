import { mkdirSync } from 'node:fs';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Clock, type DirectoryLock, lockDirectory } from '../../kernel/index.ts';
import type { Rows } from '../rows.ts';
import { startEngine } from './engine.ts';
import { overdue, type Retention, segmentsKept } from './retention.ts';
import { segmentBytes } from './segment.ts';
import { Segments, type SetAside } from './segments.ts';
import { moveStatement, stage } from './staging.ts';
import { type AnyRow, type TableName, tableNames } from './tables.ts';

export interface StoreOptions {
  readonly clock: Clock;
  readonly retention: Retention;
  readonly memoryMb?: number;
}

export interface StoreStatus {
  readonly segments: number;
  readonly bytes: number;
  /** When the oldest row that is still there may have come in. */
  readonly sinceMs: number;
  readonly setAside: readonly SetAside[];
}

/** Rows in DuckDB. One writer; whoever asks does so on connections of their own. */
export interface Store {
  /** All of it or nothing. Rows are durable when it resolves. */
  write(rows: Partial<Rows>): Promise<void>;
  /** Drops what is too old or too much. */
  tidy(): Promise<void>;
  connect(): Promise<DuckDBConnection>;
  status(): StoreStatus;
  close(): Promise<void>;
}

export async function openStore(directory: string, options: StoreOptions): Promise<Store> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(directory, 'telemetry');
  try {
    const engine = await startEngine({ directory, ...options });
    const connection = await engine.connect();
    const segments = new Segments(connection, directory);
    await segments.openAll(options.clock.now());
    return new DuckStore({ engine, connection, segments, lock, options });
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Parts {
  readonly engine: DuckDBInstance;
  readonly connection: DuckDBConnection;
  readonly segments: Segments;
  readonly lock: DirectoryLock;
  readonly options: StoreOptions;
}

class DuckStore implements Store {
  readonly #parts: Parts;
  /** One after the other: there is one connection that writes. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  write(rows: Partial<Rows>): Promise<void> {
    return this.#inTurn(() => this.#write(rows));
  }

  tidy(): Promise<void> {
    return this.#inTurn(() => this.#tidy());
  }

  connect(): Promise<DuckDBConnection> {
    return this.#parts.engine.connect();
  }

  status(): StoreStatus {
    const { segments } = this.#parts;
    return {
      segments: segments.all.length,
      bytes: segments.bytes,
      sinceMs: segments.all[0]?.openedMs ?? 0,
      setAside: segments.setAside,
    };
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => undefined);
    const { engine, connection, lock } = this.#parts;
    connection.closeSync();
    engine.closeSync();
    lock.release();
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #write(rows: Partial<Rows>): Promise<void> {
    const { connection, segments } = this.#parts;
    const filled = tableNames.filter((table) => (rows[table]?.length ?? 0) > 0);
    for (const table of filled) await stage(connection, table, rowsOf(rows, table));
    await transact(
      connection,
      filled.map((table) => moveStatement(table, segments.active.name)),
    );
  }

  async #tidy(): Promise<void> {
    const { segments, options } = this.#parts;
    const nowMs = options.clock.now();
    const { retention } = options;
    const isFull = segmentBytes(segments.active) >= retention.bytes / segmentsKept;
    const isOld = nowMs - segments.active.openedMs >= retention.ms / segmentsKept;
    if (isFull || isOld) await segments.begin(nowMs);
    const sized = segments.all.map((segment) => ({ segment, bytes: segmentBytes(segment) }));
    for (const { segment } of overdue(sized, retention, nowMs)) await segments.drop(segment);
  }
}

function rowsOf(rows: Partial<Rows>, table: TableName): readonly AnyRow[] {
  return rows[table] ?? [];
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
