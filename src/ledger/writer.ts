import { fault, isFault, type Json, toFault } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import { type BatchDeps, BatchDraft, type Request } from './batch-draft.ts';
import type { StoredEntry } from './entry.ts';
import { ledgerLimits } from './limits.ts';
import { RowCache } from './row-cache.ts';
import type { Store, StoreSession } from './store.ts';

export interface WriterDeps extends BatchDeps {
  /** Called before each batch. What it throws fails the batch; a promise is waited for. */
  readonly beforeBatch: () => Promise<void> | undefined;
  /** Called after each durable batch, with the head that it follows and the new one. */
  readonly onCommit: (before: Head, head: Head) => void;
}

interface Waiting {
  readonly request: Request<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How a batch is decided, besides its requests. */
interface Ground {
  readonly session: StoreSession;
  readonly keys: readonly string[];
  /** Those of the keys that the session was asked for. */
  readonly loaded: readonly string[];
  /** Taken as absent without a look. */
  readonly absent: readonly string[];
  readonly isLocked: boolean;
}

interface DecidedBatch {
  readonly isLocked: boolean;
  readonly absent: readonly string[];
  readonly session: StoreSession;
  readonly draft: BatchDraft;
  readonly answers: readonly (() => unknown)[];
}

/**
 * Fewer than this are one batch, because two commits would only cost a second wait for the disk.
 * They are not decided ahead of the commit under way either, because whoever comes meanwhile would
 * have to wait for theirs as well.
 */
const manyRequests = 16;

/** How long something waits for company that nobody waits for. */
const lingerMs = 20;

/** So many batches look everything up after one that had presumed wrongly. */
const cautiousBatches = 100;

/**
 * Group commit: whoever is waiting is decided, chained and made durable in one transaction, and
 * only then told. While one batch is on its way to the disk the next one is decided on top of it;
 * should the first one fail, the second finds another head than it was decided for, and is decided
 * anew. One writer per store; other processes are kept out by the store's lock on the head.
 */
export class Writer {
  readonly #deps: WriterDeps;
  readonly #cache = new RowCache();
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  /** The head that the chain will have when all that is under way is durable. */
  #tip: Head | undefined;
  /** The batch that is being made durable; never rejects. */
  #committing: Promise<void> | undefined;
  #closed = false;
  #cautious = 0;
  #lingering: NodeJS.Timeout | undefined;
  /** Requests under way that nobody waits for. */
  #deferred = 0;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  submit<Result>(request: Request<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(fault('LEDGER_CLOSED', {}));
    if (this.#waiting.length >= ledgerLimits.queueRequestsMax) {
      return Promise.reject(fault('LEDGER_BUSY', { waiting: this.#waiting.length }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ request, resolve: resolve as Waiting['resolve'], reject });
    if (request.mayWait) this.#defer(promise);
    else this.#begin();
    return promise;
  }

  /** The row as the newest batch leaves it, if it is remembered. */
  recall<Value extends Json>(key: string): Value | undefined {
    return this.#cache.get(key) as Value | undefined;
  }

  /** Whoever reads sees what was submitted before, also what nobody waits for. */
  async flush(): Promise<void> {
    if (this.#deferred === 0) return;
    const nothing = { keys: [], decide: () => ({ drafts: [], result: () => undefined }) };
    // Whatever is wrong with the store, the read will say so.
    await this.submit(nothing).catch(() => undefined);
  }

  /** Nothing new is taken; what waits is still written. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#waiting.length > 0) this.#begin();
    await this.#draining;
    await this.#committing;
  }

  #defer(request: Promise<unknown>): void {
    this.#deferred += 1;
    const done = (): void => {
      this.#deferred -= 1;
    };
    request.then(done, done);
    this.#lingering ??= setTimeout(() => this.#begin(), lingerMs);
  }

  #begin(): void {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    do {
      // One turn of the event loop lets everybody who was just answered join the next batch.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#waiting.length < manyRequests) await this.#committing;
      const batch = this.#waiting.splice(0, this.#batchSize());
      await this.#next(batch).catch((error) => rejectAll(batch, toFault(error)));
    } while (this.#isDue());
    this.#draining = undefined;
  }

  /** What nobody waits for is due, too, once its time was over while another batch was decided. */
  #isDue(): boolean {
    if (this.#lingering === undefined) return this.#waiting.length > 0;
    return this.#waiting.some(({ request }) => !request.mayWait);
  }

  /** Of many that wait while nothing is under way, half: the others follow right behind. */
  #batchSize(): number {
    const { length } = this.#waiting;
    const isFirst = this.#committing === undefined && this.#deps.store.beginAfter !== undefined;
    const isSplit = isFirst && length >= manyRequests;
    return Math.min(isSplit ? Math.ceil(length / 2) : length, ledgerLimits.batchRequestsMax);
  }

  /** Decides a batch, waits until the one before it is durable, and sends it on its way. */
  async #next(batch: readonly Waiting[]): Promise<void> {
    const wait = this.#deps.beforeBatch();
    if (wait) await wait;
    const decided = await this.#decideAfterTip(batch);
    await this.#committing;
    const committing = this.#finish(batch, decided).finally(() => {
      if (this.#committing === committing) this.#committing = undefined;
    });
    this.#committing = committing;
  }

  /** On top of what is on its way, as long as all of that is known; else under the lock. */
  async #decideAfterTip(batch: readonly Waiting[]): Promise<DecidedBatch> {
    const { store } = this.#deps;
    const tip = this.#tip;
    if (tip && store.beginAfter) {
      const isBold = this.#cautious === 0;
      if (!isBold) this.#cautious -= 1;
      const keys = keysOf(batch, !isBold);
      const loaded = this.#unknown(keys);
      const absent = isBold ? this.#unknown(unusedKeysOf(batch)) : [];
      const session = await store.beginAfter(tip, loaded).catch(() => undefined);
      // What was under way may have failed in the meantime, and taken the rows along.
      if (session && this.#cache.isFor(tip))
        return this.#decide(batch, { session, keys, loaded, absent, isLocked: false });
    }
    await this.#committing;
    return this.#decideUnderLock(batch);
  }

  async #decideUnderLock(batch: readonly Waiting[]): Promise<DecidedBatch> {
    const keys = keysOf(batch, true);
    const loaded = this.#unknown(keys);
    const session = await this.#deps.store.begin(loaded);
    // Somebody else may have written: then nothing that is remembered counts.
    this.#cache.keepFor(session.head);
    return this.#decide(batch, { session, keys, loaded, absent: [], isLocked: true });
  }

  #unknown(keys: readonly string[]): readonly string[] {
    return keys.filter((key) => !this.#cache.has(key));
  }

  async #decide(
    batch: readonly Waiting[],
    { session, keys, loaded, absent, isLocked }: Ground,
  ): Promise<DecidedBatch> {
    const answers: (() => unknown)[] = [];
    try {
      const draft = new BatchDraft(this.#deps, session, loaded, this.#cache);
      draft.presume(absent);
      await draft.loadMissing(keys);
      for (const { request } of batch) answers.push(await draft.decide(request));
      return { isLocked, absent, session, draft, answers };
    } catch (error) {
      this.#forget();
      await session.rollback();
      throw error;
    }
  }

  async #finish(batch: readonly Waiting[], decided: DecidedBatch): Promise<void> {
    try {
      const { answers } = await this.#commit(decided).catch((error) => this.#again(batch, error));
      batch.forEach((waiting, index) => {
        answer(waiting, answers[index] as () => unknown);
      });
    } catch (error) {
      rejectAll(batch, toFault(error));
    }
  }

  /** What it was decided on did not stand: decided anew under the lock, it will. */
  async #again(batch: readonly Waiting[], error: unknown): Promise<DecidedBatch> {
    if (!isFault(error, 'LEDGER_MOVED')) throw error;
    this.#cautious = cautiousBatches;
    return this.#commit(await this.#decideUnderLock(batch));
  }

  async #commit(decided: DecidedBatch): Promise<DecidedBatch> {
    const { session, draft } = decided;
    if (draft.entries.length === 0) {
      const isTrue = await this.#stillHolds(decided);
      await session.rollback();
      if (isTrue) return decided;
      throw fault('LEDGER_MOVED', {});
    }
    // The next batch may be decided on these rows at once; its commit tells if they do not stand.
    draft.handOn();
    this.#tip = draft.head;
    try {
      await session.commit(draft.batch());
    } catch (error) {
      this.#forget();
      if (!isFault(error, 'LEDGER_IN_DOUBT')) throw error;
      await settleDoubt(this.#deps.store, draft.entries, error);
    }
    this.#deps.onCommit(session.head, draft.head);
    return decided;
  }

  /** There is no commit to find out that what was read or presumed is not so. */
  async #stillHolds({ isLocked, session, absent }: DecidedBatch): Promise<boolean> {
    if (isLocked) return true;
    if (!this.#cache.isFor(session.head)) return false;
    return absent.length === 0 || (await session.load(absent)).length === 0;
  }

  #forget(): void {
    this.#cache.clear();
    this.#tip = undefined;
  }
}

function keysOf(batch: readonly Waiting[], withUnused: boolean): string[] {
  const keys = batch.flatMap(({ request }) => request.keys);
  return [...new Set(withUnused ? [...keys, ...unusedKeysOf(batch)] : keys)];
}

function unusedKeysOf(batch: readonly Waiting[]): string[] {
  return batch.flatMap(({ request }) => request.unusedKeys ?? []);
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
  const deadline = performance.now() + ledgerLimits.inDoubtMsMax;
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
