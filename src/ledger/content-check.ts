import { contentDigest, type StoredContent } from './content.ts';
import type { StoredEntry } from './entry.ts';
import type { LedgerProblem } from './problem.ts';

interface Tombstone {
  readonly seq: number;
  readonly name: string;
  readonly subject: string;
}

/** Walks the contents in step with the chain: each is there, whole, or rightly destroyed. */
export class ContentCheck {
  readonly #pages: AsyncIterator<readonly StoredContent[]>;
  #page: readonly StoredContent[] = [];
  #index = -1;
  #ended = false;
  /** Destroyed contents by the entry that is said to have destroyed them; it comes later. */
  readonly #tombstones = new Map<number, Tombstone[]>();

  constructor(pages: AsyncIterable<readonly StoredContent[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  async page(entries: readonly StoredEntry[]): Promise<LedgerProblem | null> {
    if (this.#index < 0) await this.#advance();
    for (const entry of entries) {
      const found = this.#tombstoneProblem(entry);
      if (found) return found;
      // Most entries have no contents, and this loop is what `verify` spends its time in.
      if (!namesContents(entry) && this.#nextSeq() > entry.seq) continue;
      const problem = await this.#entryProblem(entry);
      if (problem) return problem;
    }
    return null;
  }

  /** What is left over belongs to no entry. */
  async end(): Promise<LedgerProblem | null> {
    if (this.#index < 0) await this.#advance();
    const left = this.#page[this.#index];
    if (left) return edited(left, 'it belongs to no entry');
    for (const [seq, [first]] of this.#tombstones) {
      if (first) return edited(first, `entry ${seq}, said to have destroyed it, does not say so`);
    }
    return null;
  }

  async #entryProblem(entry: StoredEntry): Promise<LedgerProblem | null> {
    const listed = listedDigests(entry);
    for (let next = this.#page[this.#index]; next; next = this.#page[this.#index]) {
      if (next.seq > entry.seq) break;
      if (next.seq < entry.seq) return edited(next, 'it belongs to no entry');
      const found = this.#contentProblem(next, listed);
      if (found) return found;
      listed.delete(next.name);
      await this.#advance();
    }
    const [missing] = listed.keys();
    if (missing === undefined) return null;
    return { seq: entry.seq, kind: 'content-missing', detail: `its content "${missing}" is gone` };
  }

  #contentProblem(content: StoredContent, listed: Map<string, string>): LedgerProblem | null {
    const { seq, name, subject, digest, salt, value, shreddedBy } = content;
    if (listed.get(name) !== digest) return edited(content, 'the entry names another digest');
    if (shreddedBy !== null) {
      if (salt !== null || value !== null) return edited(content, 'it was to be destroyed');
      const others = this.#tombstones.get(shreddedBy) ?? [];
      this.#tombstones.set(shreddedBy, [...others, { seq, name, subject }]);
      return null;
    }
    if (salt === null || value === null || contentDigest(salt, subject, value) !== digest) {
      return edited(content, 'it does not fit its digest');
    }
    return null;
  }

  #tombstoneProblem(entry: StoredEntry): LedgerProblem | null {
    const tombstones = this.#tombstones.get(entry.seq);
    if (!tombstones) return null;
    this.#tombstones.delete(entry.seq);
    const { subject } = JSON.parse(entry.body) as { subject?: string };
    const wrong = tombstones.find(
      (tombstone) => entry.kind !== 'content-shredded' || tombstone.subject !== subject,
    );
    if (!wrong) return null;
    return edited(wrong, `entry ${entry.seq}, said to have destroyed it, does not say so`);
  }

  #nextSeq(): number {
    return this.#page[this.#index]?.seq ?? Number.POSITIVE_INFINITY;
  }

  async #advance(): Promise<void> {
    this.#index++;
    if (this.#ended || this.#index < this.#page.length) return;
    const { done, value } = await this.#pages.next();
    this.#ended = done === true;
    this.#page = done ? [] : value;
    this.#index = 0;
  }
}

/** Inside a string the quotes would be escaped, so this is never fooled into missing one. */
function namesContents({ body }: StoredEntry): boolean {
  return body.includes('"contents":{');
}

function listedDigests(entry: StoredEntry): Map<string, string> {
  if (!namesContents(entry)) return new Map();
  const { contents } = JSON.parse(entry.body) as { contents?: Record<string, string> };
  return new Map(Object.entries(contents ?? {}));
}

function edited({ seq, name }: { seq: number; name: string }, why: string): LedgerProblem {
  return { seq, kind: 'content-edited', detail: `its content "${name}" was changed: ${why}` };
}
