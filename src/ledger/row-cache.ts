import type { Json } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import { ledgerLimits } from './limits.ts';

const roomShare = 0.1;

/**
 * The rows that the last batches touched, as they are at one head of the chain. Whoever writes
 * finds most of what it needs here, without a way to the store; as soon as somebody else has
 * written, nothing of it counts any more. The values are shared: nobody changes one in place.
 */
export class RowCache {
  readonly #values = new Map<string, Json | undefined>();
  #hash: string | undefined;

  /** Forgets everything unless it is about this very head. */
  keepFor(head: Head): void {
    if (!this.isFor(head)) this.clear();
  }

  clear(): void {
    this.#values.clear();
    this.#hash = undefined;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  get(key: string): Json | undefined {
    return this.#values.get(key);
  }

  /** Whether it is about this very head. */
  isFor(head: Head): boolean {
    return head.hash === this.#hash;
  }

  /**
   * What the batch that leads to `head` loaded and changed; the oldest make room. What was changed
   * comes last: it must not be forgotten while it is on its way to the disk.
   */
  absorb(
    head: Head,
    loaded: ReadonlyMap<string, Json | undefined>,
    changed: ReadonlyMap<string, Json | undefined>,
  ): void {
    this.#hash = head.hash;
    for (const [key, value] of loaded) this.#values.set(key, value);
    for (const [key, value] of changed) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    if (this.#values.size > ledgerLimits.cachedRowsMax) this.#makeRoom(changed);
  }

  /** For many at once: to find the oldest, a map passes all the places that became empty. */
  #makeRoom(changed: ReadonlyMap<string, Json | undefined>): void {
    const kept = ledgerLimits.cachedRowsMax * (1 - roomShare);
    for (const key of this.#values.keys()) {
      // What was changed is still on its way: nobody may read what the disk has in its place.
      if (this.#values.size <= kept || changed.has(key)) break;
      this.#values.delete(key);
    }
  }
}
