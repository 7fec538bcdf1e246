import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, fault, isFault, type Outcome, toFault } from '../../kernel/index.ts';
import { runtimeLimits } from '../limits.ts';

/** Tells the daemon how a call ended. */
export interface OutcomeReport {
  readonly proposal: string;
  readonly status: string;
  send(): Promise<Outcome>;
}

export interface SettlementsDeps {
  readonly clock: Clock;
  /** Nobody waits any more for one that is told in the background. */
  readonly onLost: (proposal: string, error: unknown) => void;
}

const waitMsMin = 50;
const waitMsMax = 2_000;

/**
 * The daemon may be away just when a call has ended. The same report again is harmless to it, so
 * it is told until it hears; the call itself is never repeated.
 */
export class Settlements {
  readonly #deps: SettlementsDeps;
  readonly #leaving = new AbortController();
  readonly #pending = new Set<Promise<void>>();

  constructor(deps: SettlementsDeps) {
    this.#deps = deps;
  }

  /** Tries for as long as the caller has patience, then goes on behind its back and says so. */
  async settle(settlement: OutcomeReport, patienceMs: number): Promise<Outcome> {
    const deadline = this.#deps.clock.now() + patienceMs;
    for (let waitMs = waitMsMin; ; waitMs = Math.min(2 * waitMs, waitMsMax)) {
      try {
        return await settlement.send();
      } catch (error) {
        if (!isAway(error)) throw error;
        if (this.#deps.clock.now() + waitMs >= deadline) throw this.#postpone(settlement, error);
        await delay(waitMs);
      }
    }
  }

  /** For what nobody waits for. */
  later(settlement: OutcomeReport): void {
    const work = this.#tellUntilHeard(settlement)
      .catch((error) => this.#deps.onLost(settlement.proposal, error))
      .finally(() => this.#pending.delete(work));
    this.#pending.add(work);
  }

  /** Everything that is still to be told gets one more chance. */
  async close(): Promise<void> {
    this.#leaving.abort();
    await Promise.all(this.#pending);
  }

  #postpone(settlement: OutcomeReport, error: unknown): Error {
    const { proposal, status } = settlement;
    this.later(settlement);
    const details = { proposal, reported: status, reason: toFault(error).message };
    return fault('PROPOSAL_IN_FLIGHT', { proposal }, error).with(details);
  }

  async #tellUntilHeard({ send }: OutcomeReport): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#leaving;
    const deadline = clock.now() + runtimeLimits.settlementMsMax;
    for (let waitMs = waitMsMin; ; waitMs = Math.min(2 * waitMs, waitMsMax)) {
      const isLast = signal.aborted || clock.now() >= deadline;
      try {
        await send();
        return;
      } catch (error) {
        if (isLast || !isAway(error)) throw error;
      }
      await delay(waitMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }
}

/** A daemon that answers at all, if only that it will record it itself, has heard. */
function isAway(error: unknown): boolean {
  return toFault(error).retryable && !isFault(error, 'PROPOSAL_IN_FLIGHT');
}
