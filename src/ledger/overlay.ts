import { canonicalJson, type Json } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import { checkRowKey, type Row, type RowChange, type Rows } from './projection.ts';
import type { RowCache } from './row-cache.ts';

/** A row was read that the request had not named: it is loaded, and the request decided anew. */
export class RowNotLoaded extends Error {
  readonly key: string;

  constructor(key: string) {
    super(`row ${key} was read but not named among the request's keys`);
    this.key = key;
  }
}

/**
 * The rows of one batch: what the store held, with the changes of the requests decided so far on
 * top. A request's own changes are staged first, so that one that fails leaves no trace for the
 * next one in the batch.
 */
export class Overlay implements Rows {
  readonly #loaded = new Map<string, Json | undefined>();
  readonly #changed = new Map<string, Json | undefined>();
  readonly #staged = new Map<string, Json | undefined>();
  readonly #cache: RowCache;
  readonly #layers: readonly Pick<Map<string, Json | undefined>, 'has' | 'get'>[];

  constructor(cache: RowCache) {
    this.#cache = cache;
    this.#layers = [this.#staged, this.#changed, this.#loaded, cache];
  }

  /** `keys` are those that were asked for; the ones without a row are known to be absent. */
  load(keys: readonly string[], rows: readonly Row[]): void {
    for (const key of keys) this.#loaded.set(key, undefined);
    for (const row of rows) this.#loaded.set(row.key, JSON.parse(row.value) as Json);
  }

  missing(keys: readonly string[]): string[] {
    return keys.filter(
      (key) => !this.#loaded.has(key) && !this.#changed.has(key) && !this.#cache.has(key),
    );
  }

  get<Value extends Json>(key: string): Value | undefined {
    for (const layer of this.#layers) {
      const value = layer.get(key) as Value | undefined;
      if (value !== undefined || layer.has(key)) return value;
    }
    // Answering "absent" for a row that nobody loaded would decide on a state that isn't there.
    throw new RowNotLoaded(key);
  }

  set(key: string, value: Json | undefined): void {
    checkRowKey(key);
    this.#staged.set(key, value);
  }

  keep(): void {
    for (const [key, value] of this.#staged) this.#changed.set(key, value);
    this.#staged.clear();
  }

  discard(): void {
    this.#staged.clear();
  }

  /** For the next batch, once this one is durable. */
  handOn(head: Head): void {
    this.#cache.absorb(head, this.#loaded, this.#changed);
  }

  changes(): RowChange[] {
    return Array.from(this.#changed, ([key, value]) => ({
      key,
      value: value === undefined ? null : canonicalJson(value),
    }));
  }
}
