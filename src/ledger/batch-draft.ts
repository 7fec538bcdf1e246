import {
  type Actor,
  type Clock,
  fault,
  type Instant,
  isFault,
  type JsonObject,
  type RandomBytes,
  type Redact,
  withoutNoticed,
} from '../kernel/index.ts';
import type { Entry, Head } from './api-schema.ts';
import { type ContentDraft, type StoredContent, sealContent } from './content.ts';
import { type StoredEntry, sealEntry, withBody } from './entry.ts';
import { Overlay, RowNotLoaded } from './overlay.ts';
import type { Projections, ReadRows } from './projection.ts';
import type { RowCache } from './row-cache.ts';
import type { Batch, Shred, Store, StoreSession } from './store.ts';

/** An entry that somebody wants written. */
export interface Draft {
  readonly kind: string;
  readonly actor: Actor;
  readonly body: JsonObject;
  readonly contents?: readonly ContentDraft[];
  /** Destroys every content about this subject, together with the entry. */
  readonly shred?: string;
}

/** A decision to be taken while the head is locked: pure, over the rows it named. */
export interface Request<Result> {
  readonly keys: readonly string[];
  /** Keys with a part that was made just now: nobody can have a row under them yet. */
  readonly freshKeys?: readonly string[];
  /** Keys that hardly ever have a row. Not looked up where the commit can make sure of it. */
  readonly unusedKeys?: readonly string[];
  /** Nobody is waiting: it is written with what comes next, before a read, or a moment later. */
  readonly mayWait?: boolean;
  decide(rows: ReadRows, now: Instant): Decided<Result>;
}

export interface Decided<Result> {
  readonly drafts: readonly Draft[];
  readonly result: (entries: readonly Entry[]) => Result;
  /** Decided after these entries and in the same transaction; its result is the one that counts. */
  readonly next?: (entries: readonly Entry[]) => Request<Result>;
}

export interface BatchDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly redact: Redact;
  readonly projections: Projections;
}

/** Where a batch stood before a request, to go back to when the request fails. */
interface Mark {
  readonly head: Head;
  readonly entries: number;
  readonly contents: number;
  readonly shreds: number;
}

const saltBytes = 16;

/** The request is decided anew when these rows are loaded. */
class RowsMissing extends Error {
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super(`rows are missing: ${keys.join(', ')}`);
    this.keys = keys;
  }
}

/** One transaction in the making. */
export class BatchDraft {
  readonly #deps: BatchDeps;
  readonly #session: StoreSession;
  readonly #overlay: Overlay;
  readonly #now: Instant;
  readonly entries: StoredEntry[] = [];
  readonly #contents: StoredContent[] = [];
  readonly #shreds: Shred[] = [];
  #absent: readonly string[] = [];
  head: Head;

  /** `keys` are those that the session was asked for. */
  constructor(deps: BatchDeps, session: StoreSession, keys: readonly string[], cache: RowCache) {
    this.#deps = deps;
    this.#session = session;
    this.head = session.head;
    deps.clock.keepAfter(session.head.at);
    this.#now = deps.clock.now();
    this.#overlay = new Overlay(cache);
    this.#overlay.load(keys, session.rows);
  }

  /** Gives what to answer once the batch is durable. A request that fails leaves no trace in it. */
  async decide<Result>(request: Request<Result>): Promise<() => Result> {
    const before = this.#mark();
    for (;;) {
      try {
        return this.#decideNow(request);
      } catch (error) {
        this.#undo(before);
        // What a request names is loaded for the whole batch at once; what it finds later, here.
        if (error instanceof RowsMissing) await this.loadMissing(error.keys);
        // A store that went away fails the whole batch; anything else is this request's own matter.
        else if (isFault(error, 'STORE_UNAVAILABLE')) throw error;
        else {
          return () => {
            throw error;
          };
        }
      }
    }
  }

  #decideNow<Result>(request: Request<Result>): () => Result {
    if (request.freshKeys) this.#overlay.load(request.freshKeys, []);
    const { drafts, result, next } = this.#ask(request);
    const entries = drafts.map((draft) => this.#add(draft));
    if (next) return this.#decideNow(next(entries));
    this.#overlay.keep();
    return () => result(entries);
  }

  #ask<Result>(request: Request<Result>): Decided<Result> {
    try {
      return request.decide(this.#overlay, this.#now);
    } catch (error) {
      throw error instanceof RowNotLoaded ? new RowsMissing([error.key]) : error;
    }
  }

  async loadMissing(keys: readonly string[]): Promise<void> {
    const missing = this.#overlay.missing(keys);
    if (missing.length > 0) this.#overlay.load(missing, await this.#session.load(missing));
  }

  /** As if they had been looked up and not been there; the commit fails if one is. */
  presume(absent: readonly string[]): void {
    this.#absent = absent;
    this.#overlay.load(absent, []);
  }

  /** The rows of this batch are those of the chain now. */
  handOn(): void {
    this.#overlay.handOn(this.head);
  }

  batch(): Batch {
    const rows = this.#overlay.changes();
    const absent = this.#absent;
    return { entries: this.entries, contents: this.#contents, rows, shreds: this.#shreds, absent };
  }

  #add(draft: Draft): Entry {
    // The digests of the contents get this name; a caller's own value would be taken for them.
    if ('contents' in draft.body) throw fault('JSON_INVALID', { reason: '"contents" is reserved' });
    const contents = this.#sealContents(draft);
    const redacted = withoutNoticed(() => this.#deps.redact(draft.body)) as JsonObject;
    const body = contents.length === 0 ? redacted : { ...redacted, contents: digests(contents) };
    const { kind, actor } = draft;
    const workspace = this.#deps.store.workspace;
    const sealed = sealEntry(this.head, {
      workspace,
      at: this.#now,
      kind,
      actor,
      body,
      salt: this.#salt(),
    });
    this.head = sealed;
    this.entries.push(sealed);
    this.#contents.push(...contents);
    if (draft.shred !== undefined) this.#shreds.push({ subject: draft.shred, seq: sealed.seq });
    return this.#apply(sealed, body);
  }

  /** Most rows are there, so naming those of each entry beforehand would be in vain. */
  #apply(sealed: StoredEntry, body: JsonObject): Entry {
    const entry = withBody(sealed, body);
    const { projections } = this.#deps;
    try {
      projections.apply(this.#overlay, entry);
      return entry;
    } catch (error) {
      if (!(error instanceof RowNotLoaded)) throw error;
      const missing = this.#overlay.missing(projections.keys(entry));
      // A projection that reads what it does not name would not work in a rebuild.
      throw missing.includes(error.key) ? new RowsMissing(missing) : error;
    }
  }

  #sealContents(draft: Draft): StoredContent[] {
    const seq = this.head.seq + 1;
    return (draft.contents ?? []).map((content) => {
      const value = this.#deps.redact(content.value);
      return sealContent(seq, { ...content, value }, this.#salt());
    });
  }

  #salt(): string {
    const { buffer, byteOffset, length } = this.#deps.random(saltBytes);
    return Buffer.from(buffer, byteOffset, length).toString('hex');
  }

  #mark(): Mark {
    const { head, entries } = this;
    const contents = this.#contents.length;
    return { head, entries: entries.length, contents, shreds: this.#shreds.length };
  }

  #undo(mark: Mark): void {
    this.head = mark.head;
    this.entries.length = mark.entries;
    this.#contents.length = mark.contents;
    this.#shreds.length = mark.shreds;
    this.#overlay.discard();
  }
}

function digests(contents: readonly StoredContent[]): JsonObject {
  return Object.fromEntries(contents.map(({ name, digest }) => [name, digest]));
}
