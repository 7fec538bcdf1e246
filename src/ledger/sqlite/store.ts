import { existsSync } from 'node:fs';
import { fault } from '../../kernel/index.ts';
import type { StoredContent } from '../content.ts';
import type { StoredEntry } from '../entry.ts';
import { pagesAfter } from '../pages.ts';
import type { Row } from '../projection.ts';
import type { Store, StoreReader } from '../store.ts';
import { SqliteDatabase } from './database.ts';
import type { SqliteOptions } from './open-file.ts';
import { type Call, SqliteSessions } from './sessions.ts';
import { WorkerClient } from './worker-client.ts';

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
  const reading = new WorkerClient({ ...options, readOnly: true, follows: true });
  const read: Call = (method, ...args) => reading.call(method, args) as never;
  const sessions = new SqliteSessions(call, read);
  return {
    ...reader(call, options.workspace),
    begin: (keys) => sessions.begin(keys),
    beginAfter: (head, keys) => sessions.beginAfter(head, keys),
    addCheckpoint: (checkpoint) => call('addCheckpoint', checkpoint),
    onAppend: (listener) => sessions.onAppend(listener),
    close: async () => {
      // The last one to leave puts the log away; a reader could not.
      await reading.terminate();
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

/** Reading is a local call, so pages may be small: what dies young costs no memory. */
const entriesPerPage = 50;

function reader(call: Call, workspace: string): Omit<StoreReader, 'close'> {
  return {
    workspace,
    head: () => call('head'),
    entries: (from, limit) => call('entries', from, limit),
    contents: (seq) => call('contents', seq),
    checkpoints: () => call('checkpoints'),
    damage: () => call('damage'),
    scanEntries: (from) =>
      pagesAfter<StoredEntry>((last) =>
        call('entries', last ? last.seq + 1 : from, entriesPerPage),
      ),
    scanContents: (from) =>
      pagesAfter<StoredContent>((last) =>
        call('contentsAfter', last?.seq ?? from, last?.name ?? ''),
      ),
    scanRows: (prefix) => pagesAfter<Row>((last) => call('rowsAfter', prefix, last?.key ?? '')),
  };
}
