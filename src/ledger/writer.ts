import { fault, isFault, limits, toFault } from '../kernel/index.ts';
import { type BatchDeps, BatchDraft, type Request } from './batch-draft.ts';
import type { Head, StoredEntry } from './entry.ts';
import type { Store, StoreSession } from './store.ts';

export interface WriterDeps extends BatchDeps {
  /** Called with the new head after each durable batch. */
  readonly onCommit: (head: Head) => void;
}

interface Waiting {
  readonly request: Request<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: whoever is waiting when the store becomes free is decided, chained and made durable
 * in one transaction, and only then told. One writer per store; other processes are kept out by
 * the store's lock on the head.
 */
export class Writer {
  readonly #deps: WriterDeps;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  #closed = false;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  submit<Result>(request: Request<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(fault('LEDGER_CLOSED', {}));
    if (this.#waiting.length >= limits.queueRequestsMax) {
      return Promise.reject(fault('LEDGER_BUSY', { waiting: this.#waiting.length }));
    }
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ request, resolve: resolve as Waiting['resolve'], reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Nothing new is taken; what waits is still written. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    do {
      // One turn of the event loop lets everybody who was just answered join the next batch.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = this.#waiting.splice(0, limits.batchRequestsMax);
      await this.#write(batch, 'lazy')
        .catch((error) => this.#again(batch, error))
        .catch((error) => rejectAll(batch, toFault(error)));
    } while (this.#waiting.length > 0);
    this.#draining = undefined;
  }

  /** What was decided before the lock did not stand: decided anew under the lock, it will. */
  async #again(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (!isFault(error, 'LEDGER_MOVED')) throw error;
    await this.#write(batch);
  }

  async #write(batch: readonly Waiting[], lock?: 'lazy'): Promise<void> {
    const keys = [...new Set(batch.flatMap((waiting) => waiting.request.keys))];
    const session = await this.#deps.store.begin(keys, lock);
    const draft = new BatchDraft(this.#deps, session, keys);
    const answers: (() => unknown)[] = [];
    try {
      for (const { request } of batch) answers.push(await draft.decide(request));
    } catch (error) {
      await session.rollback();
      throw error;
    }
    await this.#commit(session, draft);
    batch.forEach((waiting, index) => {
      answer(waiting, answers[index] as () => unknown);
    });
  }

  async #commit(session: StoreSession, draft: BatchDraft): Promise<void> {
    if (draft.entries.length === 0) return session.rollback();
    try {
      await session.commit(draft.batch());
    } catch (error) {
      if (!isFault(error, 'LEDGER_IN_DOUBT')) throw error;
      await settleDoubt(this.#deps.store, draft.entries, error);
    }
    this.#deps.onCommit(draft.head);
  }
}

function answer(waiting: Waiting, result: () => unknown): void {
  try {
    waiting.resolve(result());
  } catch (error) {
    waiting.reject(error);
  }
}

function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error);
}

/**
 * The store went away while it was committing. Its lock on the head outlives the connection until
 * that transaction has ended, so once we hold the lock again, our first entry is either on the
 * chain with the hash we gave it, or it never will be.
 */
async function settleDoubt(
  store: Store,
  entries: readonly StoredEntry[],
  doubt: unknown,
): Promise<void> {
  const first = entries[0] as StoredEntry;
  const deadline = performance.now() + limits.inDoubtMsMax;
  for (let waitMs = 10; performance.now() < deadline; waitMs = Math.min(waitMs * 2, 500)) {
    const found = await hashAt(store, first.seq).catch(() => null);
    if (found === first.hash) return;
    if (found !== null) throw fault('STORE_UNAVAILABLE', { reason: 'it went away' }, doubt);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  throw fault('LEDGER_IN_DOUBT', { entries: entries.length }, doubt);
}

async function hashAt(store: Store, seq: number): Promise<string | undefined> {
  const session = await store.begin([]);
  try {
    return await session.hashAt(seq);
  } finally {
    await session.rollback();
  }
}
