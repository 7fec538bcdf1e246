import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, fault, isFault, type Outcome, toFault } from '../../kernel/index.ts';
import { runtimeLimits } from '../limits.ts';

/** Reports the outcome of a call to the daemon. */
export interface OutcomeReport {
  readonly proposal: string;
  readonly status: string;
  send(): Promise<Outcome>;
}

export interface SettlementsDeps {
  readonly clock: Clock;
  /** Called when a report in the background is given up, because nobody waits for it. */
  readonly onLost: (proposal: string, error: unknown) => void;
}

const waitMsMin = 50;
const waitMsMax = 2_000;

/**
 * The daemon may be away when a call ends. A repeated report is harmless, so it is sent until the
 * daemon answers; the call itself is never repeated.
 */
export class Settlements {
  readonly #deps: SettlementsDeps;
  readonly #leaving = new AbortController();
  readonly #pending = new Set<Promise<void>>();

  constructor(deps: SettlementsDeps) {
    this.#deps = deps;
  }

  /** Tries as long as the caller waits, then continues in the background and says so. */
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

  /** For a report that nobody waits for. */
  later(settlement: OutcomeReport): void {
    const work = this.#tellUntilHeard(settlement)
      .catch((error) => this.#deps.onLost(settlement.proposal, error))
      .finally(() => this.#pending.delete(work));
    this.#pending.add(work);
  }

  /** Tries every waiting report once more. */
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

/**
 * Any answer of the daemon means that it got the report, even if it will record the outcome itself.
 */
function isAway(error: unknown): boolean {
  return toFault(error).retryable && !isFault(error, 'PROPOSAL_IN_FLIGHT');
}
