import type { Child } from '../protocol/protocol.ts';

export interface LeaveOrder {
  readonly reason: 'signal' | 'shutdown' | 'directory-gone';
  /** Names of children that are to go on without a keeper. */
  readonly except: readonly string[];
}

/** The keeper stops once, for the first reason that it is given; every requester is notified. */
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
