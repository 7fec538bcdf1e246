import type { Actor, Clock, JsonObject } from '../../kernel/index.ts';
import { readRow } from '../../ledger/index.ts';
import { laneLimits } from '../limits.ts';
import {
  type ErrorShares,
  type PromotionObservation,
  regressionOf,
  type UnreadSignals,
  unreadOf,
} from './regression.ts';
import { RepeatedSuites, type RepeatSuites } from './repeated-suites.ts';
import { type ReturnDeps, returnPromotion } from './return-promotion.ts';
import { type WatchRow, wasProven, watchKey } from './watched-promotion.ts';

export interface PromotionWatchDeps extends ReturnDeps {
  readonly clock: Clock;
  /**
   * How many requests these services answered, and how many with an error. Null if telemetry is
   * off; throws if it does not answer in time.
   */
  readonly errorShares: (watched: WatchRow) => Promise<ErrorShares | null>;
  /** Runs the suites on the promoted version, without any mark of a lane. */
  readonly repeatSuites: RepeatSuites;
  /** Tells people what the watch did or could not do. */
  readonly notify?: (notice: PromotionNotice) => void;
}

export interface PromotionNotice {
  readonly event: 'promotion-held' | 'promotion-returned' | 'promotion-stuck';
  readonly facts: JsonObject;
}

/** The actor of a rollback, which was granted together with the promotion. */
const watcher: Actor = 'surety:promotion';

/** What telemetry says of a promotion, or why it does not answer. */
interface ReadSignals {
  readonly shares: ErrorShares | null;
  readonly unread: UnreadSignals | null;
}

/** Looks after the newest promotion for a while, and takes it back when it makes things worse. */
export class PromotionWatch {
  readonly #deps: PromotionWatchDeps;
  readonly #unhealthy = new Map<string, number>();
  readonly #suites: RepeatedSuites;
  #heldCommit: string | null = null;
  #isLooking = false;
  #tries = 0;

  constructor(deps: PromotionWatchDeps) {
    this.#deps = deps;
    this.#suites = new RepeatedSuites(deps.repeatSuites);
  }

  watched(): Promise<WatchRow | undefined> {
    return readRow(this.#deps.ledger, watchKey);
  }

  /** Called every second; costs one row when nothing is watched. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const watched = await this.watched();
      if (!watched) return this.#suites.clear();
      // Not in turn with promotions, which must not wait for a telemetry process that is paused.
      const signals = await this.#readSignals(watched);
      // In turn with promotions: what is being swapped is neither well nor ill.
      await this.#deps.promoting.run(() => this.#judge(watched.commit, signals));
    } finally {
      this.#isLooking = false;
    }
  }

  async #readSignals(watched: WatchRow): Promise<ReadSignals> {
    try {
      const shares = await this.#deps.errorShares(watched);
      return { shares, unread: null };
    } catch (error) {
      const reason = `the errors of ${watched.services.join(', ')} could not be read: ${(error as Error).message}`;
      return { shares: null, unread: { reason, isBroken: true } };
    }
  }

  async #judge(commit: string, { shares, unread: unanswered }: ReadSignals): Promise<void> {
    const watched = await this.watched();
    if (watched?.commit !== commit) return;
    const { baseline, clock, ledger } = this.#deps;
    const own = await baseline.status(watched.services);
    // A stopped service is neither healthy nor unhealthy: the watch restarts with its next start.
    const running = own.filter(({ state }) => state !== 'stopped');
    if (running.length === 0) return this.#unhealthy.clear();
    const isWhole = running.length === own.length;
    const looked: PromotionObservation = {
      services: running.map((one) => ({ ...one, unhealthyLooks: this.#countUnhealthy(one) })),
      // While one of them is stopped, the others answer with errors that are not their own.
      shares: isWhole ? shares : null,
    };
    const reason = regressionOf(looked);
    if (reason !== null) return this.#tryReturn(watched, reason);
    if (!isWhole) return;
    const isOver = clock.now() >= watched.until;
    const suites = this.#suites.look(watched, isOver);
    if (typeof suites === 'object') return this.#tryReturn(watched, suites.failed);
    if (!isOver || suites === 'running') return;
    const isRepeated = wasProven(watched) && suites === 'passed';
    const unread = unanswered ?? (shares && unreadOf(shares, watched.services, isRepeated));
    if (unread) return this.#hold(watched, unread);
    this.#unhealthy.clear();
    const { services, task } = watched;
    const body = { commit, base: watched.base, services, task, shares: looked.shares };
    await ledger.append({ kind: 'promotion-kept', actor: watcher, body });
  }

  /**
   * Nothing is known to be worse, and nothing to be well: the promotion is not kept. If its signals
   * stay broken for as long as the watch was, it goes back.
   */
  async #hold(watched: WatchRow, { reason, isBroken }: UnreadSignals): Promise<void> {
    const { commit, base, services, task, since, until } = watched;
    const isTooLong = this.#deps.clock.now() >= until + (until - since);
    if (isBroken && isTooLong) return this.#tryReturn(watched, reason);
    if (this.#heldCommit === commit) return;
    this.#heldCommit = commit;
    const body = { commit, base, services, task, reason };
    await this.#deps.ledger.append({ kind: 'promotion-held', actor: watcher, body });
    this.#deps.notify?.({ event: 'promotion-held', facts: body });
  }

  #countUnhealthy({ service, state }: { service: string; state: string }): number {
    const isIll = state === 'unhealthy' || state === 'restarting';
    const count = isIll ? (this.#unhealthy.get(service) ?? 0) + 1 : 0;
    this.#unhealthy.set(service, count);
    return count;
  }

  /** What can't go back after a few tries will not by itself: then it is for a person to see. */
  async #tryReturn(watched: WatchRow, reason: string): Promise<void> {
    const { commit, base, services, task } = watched;
    try {
      await this.#return(watched, reason);
      this.#tries = 0;
    } catch (error) {
      this.#tries += 1;
      if (this.#tries < laneLimits.promotionRollbacksMax) throw error;
      this.#tries = 0;
      const failure = (error as Error).message;
      const body = { commit, base, services, task, reason, failure };
      await this.#deps.ledger.append({ kind: 'promotion-stuck', actor: watcher, body });
      this.#deps.notify?.({ event: 'promotion-stuck', facts: body });
    }
  }

  async #return(watched: WatchRow, reason: string): Promise<void> {
    await returnPromotion(watcher, watched, reason, this.#deps);
    const { commit, base, services, task } = watched;
    const facts = { commit, base, services, task, reason };
    this.#deps.notify?.({ event: 'promotion-returned', facts });
    this.#unhealthy.clear();
  }
}
