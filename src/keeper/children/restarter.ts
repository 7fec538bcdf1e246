import type { Clock, Instant, Log } from '../../kernel/index.ts';
import type { OrderOf } from '../protocol/request.ts';
import { isLeaseOver } from './child.ts';
import type { Exit } from './exit.ts';
import { isIntended, nextStart } from './restart.ts';
import type { Roster } from './roster.ts';
import type { Supervision } from './supervision.ts';

/** What a child keeps when it is started again. */
export interface Past {
  readonly restarts: number;
  readonly lastExit: Exit | null;
  readonly leaseEndsAt: Instant | null;
}

export interface RestarterDeps {
  readonly roster: Roster;
  readonly clock: Clock;
  readonly log: Log;
  save(): Promise<void>;
  launch(order: OrderOf<'start'>, past: Past): Promise<unknown>;
}

/** Restarts children that ended without being stopped. */
export class Restarter {
  readonly #deps: RestarterDeps;
  #isOff = false;

  constructor(deps: RestarterDeps) {
    this.#deps = deps;
  }

  watch(child: Supervision, order: OrderOf<'start'>): void {
    if (order.restart) void child.ended.then((exit) => this.#ended(child, order, exit));
  }

  /** From now on it stays ended, whatever was planned. */
  cancel(child: Supervision): void {
    child.record = { ...child.record, restart: null, restartAt: null };
  }

  stop(): void {
    this.#isOff = true;
  }

  async #ended(child: Supervision, order: OrderOf<'start'>, exit: Exit): Promise<void> {
    const { clock, log, save } = this.#deps;
    const { name, restart, restarts } = child.record;
    const next = this.#isOff ? undefined : nextStart(child.record, exit);
    if (!next) {
      if (restart && !this.#isOff && !isIntended(restart, exit)) {
        log('error', 'child-given-up', { name, restarts });
      }
      return;
    }
    child.record = { ...child.record, restartAt: next.at };
    log('warn', 'child-restarts', { name, restarts: next.restarts, reason: exit.reason });
    const again = (): void => void this.#again(child, order, next.restarts);
    setTimeout(again, Math.max(0, next.at - clock.now()));
    await save();
  }

  async #again(child: Supervision, order: OrderOf<'start'>, restarts: number): Promise<void> {
    const { roster, clock, launch } = this.#deps;
    const { name, restartAt, exit, leaseEndsAt } = child.record;
    const isWanted = roster.find(name) === child && restartAt !== null && !this.#isOff;
    if (!isWanted || isLeaseOver(child.record, clock.now())) return;
    try {
      await launch(order, { restarts, lastExit: exit, leaseEndsAt });
    } catch {
      // It could not even be started; that counts as one more crash.
      child.record = { ...child.record, restarts, restartAt: null, startedAt: clock.now() };
      await this.#ended(child, order, { ...(exit as Exit), at: clock.now() });
    }
  }
}
