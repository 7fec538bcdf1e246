import { canonicalJson, type Json } from '../kernel/index.ts';
import type { Rows } from './projection.ts';

/** Rows that are computed from the chain and belong to no store. */
export class MemoryRows implements Rows {
  readonly #values = new Map<string, Json>();

  get<Value extends Json>(key: string): Value | undefined {
    return this.#values.get(key) as Value | undefined;
  }

  set(key: string, value: Json | undefined): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
  }

  take(key: string): string | null {
    const value = this.#values.get(key);
    this.#values.delete(key);
    return value === undefined ? null : canonicalJson(value);
  }

  *left(): Iterable<readonly [string, string]> {
    for (const [key, value] of this.#values) yield [key, canonicalJson(value)];
  }
}
