import { routerLimits } from '../limits.ts';
import type { RouteTable } from './table.ts';

/** Lanes that were: services may still tell of them, by their keys or by their trace ids. */
export class EndedLanes {
  /** By key, the one that ended last at the end: `trace-<its number>`, if it had one. */
  readonly #aliases = new Map<string, string | undefined>();

  /** Of the lanes that the next table has no more, the latest are remembered. */
  remember(before: RouteTable, next: RouteTable): void {
    for (const key of Object.keys(next.lanes)) this.forget(key);
    for (const [key, { trace }] of Object.entries(before.lanes)) {
      if (!Object.hasOwn(next.lanes, key)) this.#add(key, trace && `trace-${trace}`);
    }
    const surplus = Math.max(0, this.#aliases.size - routerLimits.routerEndedLanesMax);
    for (const key of [...this.#aliases.keys()].slice(0, surplus)) this.forget(key);
  }

  /** The key of `trace-<its number>`; anything else is taken for a key. */
  keyOf(keyOrAlias: string): string {
    const found = [...this.#aliases].findLast(([, alias]) => alias === keyOrAlias);
    return found?.[0] ?? keyOrAlias;
  }

  has(key: string): boolean {
    return this.#aliases.has(key);
  }

  forget(key: string): void {
    this.#aliases.delete(key);
  }

  #add(key: string, alias: string | undefined): void {
    this.forget(key);
    this.#aliases.set(key, alias);
  }
}
