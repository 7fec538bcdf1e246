import type { Child } from '../protocol/protocol.ts';

export interface LeaveOrder {
  readonly reason: 'signal' | 'shutdown' | 'directory-gone';
  /** Names of children that are to go on without a keeper. */
  readonly except: readonly string[];
}

/** The keeper leaves once, for the first reason it is given; everybody who asked hears of it. */
export class KeeperExit {
  readonly #told: PromiseWithResolvers<LeaveOrder> = Promise.withResolvers();
  readonly #stopped: PromiseWithResolvers<readonly Child[]> = Promise.withResolvers();

  constructor() {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => this.leave('signal'));
    }
    // A terminal that is closed is no reason to leave.
    process.on('SIGHUP', () => {});
  }

  get told(): Promise<LeaveOrder> {
    return this.#told.promise;
  }

  leave(reason: LeaveOrder['reason'], except: readonly string[] = []): Promise<readonly Child[]> {
    this.#told.resolve({ reason, except });
    return this.#stopped.promise;
  }

  stopped(children: readonly Child[]): void {
    this.#stopped.resolve(children);
  }
}
