import type { Json } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import { ledgerLimits } from './limits.ts';

type CachedRows = ReadonlyMap<string, Json | undefined>;

/**
 * The rows that the last batches touched, as they are at one head of the chain. Whoever writes
 * finds most of what it needs here, without a way to the store; as soon as somebody else has
 * written, nothing of it counts any more. The values are shared: nobody changes one in place.
 *
 * Two generations make room for new rows: the older one is dropped as a whole. Removing keys one by
 * one, or to put them last, would leave empty places in the map that later lookups have to pass.
 */
export class RowCache {
  #recent = new Map<string, Json | undefined>();
  #older: CachedRows = new Map();
  #hash: string | undefined;

  /** Forgets everything unless it is about this very head. */
  keepFor(head: Head): void {
    if (!this.isFor(head)) this.clear();
  }

  clear(): void {
    this.#recent = new Map();
    this.#older = new Map();
    this.#hash = undefined;
  }

  has(key: string): boolean {
    return this.#recent.has(key) || this.#older.has(key);
  }

  get(key: string): Json | undefined {
    return this.#recent.has(key) ? this.#recent.get(key) : this.#older.get(key);
  }

  /** Whether it is about this very head. */
  isFor(head: Head): boolean {
    return head.hash === this.#hash;
  }

  /**
   * What the batch that leads to `head` loaded and changed. All of it is kept, however much it is:
   * while it is on its way to the disk, nobody may read what the disk has in its place.
   */
  absorb(head: Head, loaded: CachedRows, changed: CachedRows): void {
    this.#hash = head.hash;
    const size = this.#recent.size + loaded.size + changed.size;
    if (size > ledgerLimits.cachedRowsMax / 2) this.#makeRoom();
    for (const [key, value] of loaded) this.#recent.set(key, value);
    for (const [key, value] of changed) this.#recent.set(key, value);
  }

  #makeRoom(): void {
    this.#older = this.#recent;
    this.#recent = new Map();
  }
}
