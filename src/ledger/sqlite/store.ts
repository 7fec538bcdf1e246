import { existsSync } from 'node:fs';
import { fault } from '../../kernel/index.ts';
import type { Head } from '../api-schema.ts';
import type { StoredContent } from '../content.ts';
import type { StoredEntry } from '../entry.ts';
import { pagesAfter } from '../pages.ts';
import type { Row } from '../projection.ts';
import type { Batch, Store, StoreReader, StoreSession } from '../store.ts';
import { SqliteDatabase } from './database.ts';
import { type EncodedBatch, encodeBatch } from './encoded-batch.ts';
import type { SqliteOptions } from './open-file.ts';
import { WorkerClient } from './worker-client.ts';

export interface SqliteStore extends Store {
  /** Ends the database's thread as a crash would. For tests of that case. */
  crashWorker(): Promise<void>;
}

export interface SqliteStoreOptions {
  readonly file: string;
  readonly workspace: string;
  /** False for tests: two threads take longer to start than most tests of the gate. */
  readonly threads?: boolean;
}

/** The embedded ledger: one file, written by one daemon, its waits kept off the event loop. */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const connect = options.threads === false ? connectHere : connectThread;
  const writing = connect({ ...options, readOnly: false });
  const reading = connect({ ...options, readOnly: true, follows: true });
  const { call } = writing;
  const sessions = new SqliteSessions(call, reading.call);
  return {
    ...reader(call, options.workspace),
    begin: (keys) => sessions.begin(keys),
    beginAfter: (head, keys) => sessions.beginAfter(head, keys),
    addCheckpoint: (checkpoint) => sessions.outside(() => call('addCheckpoint', checkpoint)),
    onAppend: (listener) => sessions.onAppend(listener),
    close: async () => {
      // The last one to leave puts the log away; a reader could not.
      await reading.end();
      await call('close').catch(() => undefined);
      await writing.end();
    },
    crashWorker: () => writing.end(),
  };
}

/** For commands that only read: no thread, no lock, works beside a running daemon. */
export function openSqliteReader(options: SqliteStoreOptions): StoreReader {
  const { file } = options;
  if (!existsSync(file)) throw fault('LEDGER_MISSING', { path: file });
  const { call, end } = connectHere({ ...options, readOnly: true });
  return { ...reader(call, options.workspace), close: end };
}

interface Connection {
  readonly call: StoreCall;
  end(): Promise<void>;
}

function connectThread(options: SqliteOptions): Connection {
  const client = new WorkerClient(options);
  return {
    call: (method, ...args) => client.call(method, args) as never,
    end: () => client.terminate(),
  };
}
/** Opens again after its end, as a thread that ended is replaced at the next call. */
function connectHere(options: SqliteOptions): Connection {
  let database: SqliteDatabase | undefined = new SqliteDatabase(options);
  return {
    call: async (method, ...args) => {
      database ??= new SqliteDatabase(options);
      const run = database[method] as (...args: unknown[]) => never;
      return run.apply(database, args);
    },
    end: async () => {
      database?.close();
      database = undefined;
    },
  };
}

/** Reading is a local call, so pages may be small: what dies young costs no memory. */
const entriesPerPage = 50;

function reader(call: StoreCall, workspace: string): Omit<StoreReader, 'close'> {
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

/** A database method, called in whichever thread the database lives. */
type StoreCall = <Method extends keyof SqliteDatabase>(
  method: Method,
  ...args: Parameters<SqliteDatabase[Method]>
) => Promise<ReturnType<SqliteDatabase[Method]>>;

const forgetMsEvery = 500;

/**
 * So many records are written, each to one page or two, before the log is copied. Commits wait
 * longer for the disk meanwhile: the more seldom, the fewer calls notice. Rows that every call
 * writes are then copied once for many calls, too.
 */
const loggedMax = 3_000;

/** Transactions over the thread border: waking a thread costs as much as writing ten entries. */
class SqliteSessions {
  readonly #call: StoreCall;
  readonly #read: StoreCall;
  readonly #listeners = new Set<() => void>();
  #forgetting: NodeJS.Timeout | undefined;
  /** Resolves when the last transaction that was begun has ended. */
  #open: Promise<void> | undefined;
  #end: () => void = () => undefined;
  /** Records in the log since it was last copied. */
  #logged = 0;

  constructor(call: StoreCall, read: StoreCall) {
    this.#call = call;
    this.#read = read;
  }

  async begin(keys: readonly string[]): Promise<StoreSession> {
    // One that was begun before and never ended is rolled back by this.
    this.#end();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    this.#end = resolve;
    const begun = await this.#call('begin', keys).catch((error) => {
      resolve();
      throw error;
    });
    return {
      ...begun,
      load: (more) => this.#call('load', more),
      hashAt: (seq) => this.#call('hashAt', seq),
      commit: (batch) =>
        this.#commit(batch, (encoded) => this.#call('commit', encoded).finally(resolve)),
      rollback: () => this.#call('rollback').finally(resolve),
    };
  }

  /** After the open transaction: what is written in it may be rolled back with it. */
  async outside<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let seen: Promise<void> | undefined; seen !== this.#open; ) {
      seen = this.#open;
      await seen;
    }
    return work();
  }

  /** What it loads comes from another connection, which need not wait for a commit's disk. */
  async beginAfter(head: Head, keys: readonly string[]): Promise<StoreSession> {
    return {
      head,
      rows: keys.length === 0 ? [] : await this.#read('load', keys),
      load: (more) => this.#read('load', more),
      hashAt: (seq) => this.#call('hashAt', seq),
      commit: (batch) => this.#commit(batch, (encoded) => this.#call('commitAfter', head, encoded)),
      rollback: async () => undefined,
    };
  }

  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #commit(batch: Batch, commit: (batch: EncodedBatch) => Promise<boolean>): Promise<void> {
    const isLogForgotten = await commit(encodeBatch(batch));
    if (!isLogForgotten) this.#forgetLogLater();
    for (const listener of this.#listeners) listener();
    this.#copyLog(batch);
  }

  #forgetLogLater(): void {
    this.#forgetting ??= setTimeout(() => {
      this.#forgetting = undefined;
      const again = (isForgotten: boolean): void => {
        if (!isForgotten) this.#forgetLogLater();
      };
      // A store that was closed has put its log away.
      this.#call('forgetLog').then(again, () => undefined);
    }, forgetMsEvery).unref();
  }

  /** In the thread that reads: the next commit need not wait for it. */
  #copyLog({ entries, contents, rows }: Batch): void {
    this.#logged += entries.length + contents.length + rows.length;
    if (this.#logged < loggedMax) return;
    this.#logged = Number.NEGATIVE_INFINITY;
    this.#read('copyLog')
      // The log stays as it is, and the next commit that finds it too long copies it.
      .catch(() => undefined)
      .finally(() => {
        this.#logged = 0;
      });
  }
}
