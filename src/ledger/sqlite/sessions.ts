import type { Head, StoredEntry } from '../entry.ts';
import type { Batch, StoreSession } from '../store.ts';
import type { SqliteDatabase } from './database.ts';
import { type EncodedBatch, encodeBatch } from './encoded-batch.ts';

/** A database method, called in whichever thread the database lives. */
export type Call = <Method extends keyof SqliteDatabase>(
  method: Method,
  ...args: Parameters<SqliteDatabase[Method]>
) => Promise<ReturnType<SqliteDatabase[Method]>>;

/**
 * Transactions over the thread border. Waking a thread costs as much as writing ten entries, so a
 * lazy session that needs no rows starts from the head that our own last commit left, and only its
 * commit crosses the border.
 */
export class SqliteSessions {
  readonly #call: Call;
  readonly #listeners = new Set<() => void>();
  #known: Head | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  async begin(keys: readonly string[], lock?: 'lazy'): Promise<StoreSession> {
    const known = this.#known;
    if (lock === 'lazy' && known && keys.length === 0) {
      const commit = (batch: EncodedBatch) => this.#call('commitAfter', known, batch);
      return this.#session({ head: known, rows: [] }, commit, async () => undefined);
    }
    const begun = await this.#call('begin', keys);
    const commit = (batch: EncodedBatch) => this.#call('commit', batch);
    return this.#session(begun, commit, () => this.#call('rollback'));
  }

  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #session(
    begun: Pick<StoreSession, 'head' | 'rows'>,
    commit: (batch: EncodedBatch) => Promise<void>,
    rollback: () => Promise<void>,
  ): StoreSession {
    return {
      ...begun,
      load: (keys) => this.#call('load', keys),
      hashAt: (seq) => this.#call('hashAt', seq),
      commit: (batch) => this.#commit(batch, commit),
      rollback,
    };
  }

  async #commit(batch: Batch, commit: (batch: EncodedBatch) => Promise<void>): Promise<void> {
    // Forgotten first: after a commit that failed, only the file knows where the chain ends.
    this.#known = undefined;
    await commit(encodeBatch(batch));
    const { seq, at, hash } = batch.entries.at(-1) as StoredEntry;
    this.#known = { seq, at, hash };
    for (const listener of this.#listeners) listener();
  }
}
