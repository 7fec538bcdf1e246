import { toFault } from '../kernel/index.ts';
import type { Exchange, Register } from './exchange.ts';
import { routerLimits } from './limits.ts';
import { unknownLane } from './routing/lane-key.ts';

/** Requests in progress, by key: when a lane ends, they are ended with it. */
export class LiveExchanges implements Register {
  readonly #byKey = new Map<string, Set<Exchange>>();

  add(exchange: Exchange): void {
    const { key } = exchange.route;
    if (key === null) return;
    const known = this.#byKey.get(key);
    if (known) known.add(exchange);
    else this.#byKey.set(key, new Set([exchange]));
  }

  /** They may finish, if they are quick about it. */
  endExcept(open: ReadonlySet<string>): void {
    for (const [key, exchanges] of this.#byKey) {
      if (!open.has(key)) this.#endSoon(key, [...exchanges]);
    }
  }

  #endSoon(key: string, exchanges: readonly Exchange[]): void {
    const timer = setTimeout(() => {
      const reason = toFault(unknownLane(`the lane of key ${key} has ended meanwhile`));
      const live = this.#byKey.get(key);
      for (const exchange of exchanges) if (live?.has(exchange)) exchange.end(reason);
    }, routerLimits.endedLaneRequestMsMax);
    timer.unref();
  }

  remove(exchange: Exchange): void {
    const key = exchange.route.key ?? '';
    const known = this.#byKey.get(key);
    known?.delete(exchange);
    if (known?.size === 0) this.#byKey.delete(key);
  }
}
