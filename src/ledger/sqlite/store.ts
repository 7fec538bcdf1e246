import { existsSync } from 'node:fs';
import { fault, limits } from '../../kernel/index.ts';
import type { StoredContent } from '../content.ts';
import type { StoredEntry } from '../entry.ts';
import { pagesAfter } from '../pages.ts';
import type { Row } from '../projection.ts';
import type { Store, StoreReader, StoreSession } from '../store.ts';
import { SqliteDatabase, type SqliteOptions } from './database.ts';
import { WorkerClient } from './worker-client.ts';

/** A database method, called in whichever thread the database lives. */
type Call = <Method extends keyof SqliteDatabase>(
  method: Method,
  ...args: Parameters<SqliteDatabase[Method]>
) => Promise<ReturnType<SqliteDatabase[Method]>>;

export interface SqliteStore extends Store {
  /** Ends the database's thread as a crash would. For tests of that case. */
  crashWorker(): Promise<void>;
}

export interface SqliteStoreOptions {
  readonly file: string;
  readonly workspace: string;
}

/** The embedded ledger: one file, written by one daemon, its waits kept off the event loop. */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const client = new WorkerClient({ ...options, readOnly: false });
  const call: Call = (method, ...args) => client.call(method, args) as never;
  const listeners = new Set<() => void>();
  return {
    ...reader(call, options.workspace),
    begin: async (keys) => session(call, await call('begin', keys), listeners),
    addCheckpoint: (checkpoint) => call('addCheckpoint', checkpoint),
    onAppend(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await call('close').catch(() => undefined);
      await client.terminate();
    },
    crashWorker: () => client.terminate(),
  };
}

/** For commands that only read: no thread, no lock, works beside a running daemon. */
export function openSqliteReader(options: SqliteStoreOptions): StoreReader {
  const { file } = options;
  if (!existsSync(file)) throw fault('LEDGER_MISSING', { path: file });
  const database = new SqliteDatabase({ ...options, readOnly: true } satisfies SqliteOptions);
  const call: Call = async (method, ...args) => {
    const run = database[method] as (...args: unknown[]) => never;
    return run.apply(database, args);
  };
  return { ...reader(call, options.workspace), close: async () => database.close() };
}

function reader(call: Call, workspace: string): Omit<StoreReader, 'close'> {
  return {
    workspace,
    head: () => call('head'),
    entries: (from, limit) => call('entries', from, limit),
    contents: (seq) => call('contents', seq),
    checkpoints: () => call('checkpoints'),
    scanEntries: (from) =>
      pagesAfter<StoredEntry>((last) =>
        call('entries', last ? last.seq + 1 : from, limits.scanPageEntries),
      ),
    scanContents: (from) =>
      pagesAfter<StoredContent>((last) =>
        call('contentsAfter', last?.seq ?? from, last?.name ?? ''),
      ),
    scanRows: (prefix) => pagesAfter<Row>((last) => call('rowsAfter', prefix, last?.key ?? '')),
  };
}

function session(
  call: Call,
  begun: ReturnType<SqliteDatabase['begin']>,
  listeners: ReadonlySet<() => void>,
): StoreSession {
  return {
    ...begun,
    load: (keys) => call('load', keys),
    hashAt: (seq) => call('hashAt', seq),
    commit: async (batch) => {
      await call('commit', batch);
      for (const listener of listeners) listener();
    },
    rollback: () => call('rollback'),
  };
}
