import type { Head } from '../api-schema.ts';
import type { Batch, StoreSession } from '../store.ts';
import type { SqliteDatabase } from './database.ts';
import { type EncodedBatch, encodeBatch } from './encoded-batch.ts';

/** A database method, called in whichever thread the database lives. */
export type StoreCall = <Method extends keyof SqliteDatabase>(
  method: Method,
  ...args: Parameters<SqliteDatabase[Method]>
) => Promise<ReturnType<SqliteDatabase[Method]>>;

/** Transactions over the thread border: waking a thread costs as much as writing ten entries. */
export class SqliteSessions {
  readonly #call: StoreCall;
  readonly #read: StoreCall;
  readonly #listeners = new Set<() => void>();

  constructor(call: StoreCall, read: StoreCall) {
    this.#call = call;
    this.#read = read;
  }

  async begin(keys: readonly string[]): Promise<StoreSession> {
    const begun = await this.#call('begin', keys);
    return {
      ...begun,
      load: (more) => this.#call('load', more),
      hashAt: (seq) => this.#call('hashAt', seq),
      commit: (batch) => this.#commit(batch, (encoded) => this.#call('commit', encoded)),
      rollback: () => this.#call('rollback'),
    };
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

  async #commit(batch: Batch, commit: (batch: EncodedBatch) => Promise<void>): Promise<void> {
    await commit(encodeBatch(batch));
    for (const listener of this.#listeners) listener();
  }
}
