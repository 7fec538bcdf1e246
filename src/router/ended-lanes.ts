import { limits } from '../kernel/index.ts';
import type { Table } from './table.ts';

/** Whose trace ids were whose: services may still come upon them when the lane has ended. */
export class EndedLanes {
  readonly #keys = new Map<string, string>();

  /** Of the lanes that the next table has no more, the latest are remembered. */
  remember(before: Table, next: Table): void {
    for (const [key, { trace }] of Object.entries(before.lanes)) {
      if (trace === undefined || Object.hasOwn(next.lanes, key)) continue;
      this.#keys.delete(`trace-${trace}`);
      this.#keys.set(`trace-${trace}`, key);
    }
    const surplus = Math.max(0, this.#keys.size - limits.routerEndedLanesMax);
    for (const alias of [...this.#keys.keys()].slice(0, surplus)) this.#keys.delete(alias);
  }

  /** The key of `trace-<its number>`; anything else is taken for a key. */
  keyOf(keyOrAlias: string): string {
    return this.#keys.get(keyOrAlias) ?? keyOrAlias;
  }
}
