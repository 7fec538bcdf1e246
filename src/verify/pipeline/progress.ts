import { type Actor, type Clock, fault } from '../../kernel/index.ts';
import type { RunningVerification } from '../api-schema.ts';
import { verifyLimits } from '../limits.ts';

/** As in the API, but the stage is null while lanes are being opened. */
type VerificationProgress = Omit<RunningVerification, 'actor' | 'stage'> & {
  readonly actor: Actor;
  readonly stage: string | null;
};

/** The verifications that are running; the ledger has the results. */
export class Progress {
  readonly #running = new Map<string, VerificationProgress>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Oldest first. */
  list(): readonly VerificationProgress[] {
    return [...this.#running.values()];
  }

  async during<Result>(
    begun: Pick<VerificationProgress, 'verdict' | 'actor' | 'change'>,
    work: (report: (stage: string) => void) => Promise<Result>,
  ): Promise<Result> {
    const { verdict, actor } = begun;
    this.#checkRoom(actor);
    const startedAt = this.#clock.now();
    const report = (stage: string | null): unknown =>
      this.#running.set(verdict, { ...begun, startedAt, stage });
    report(null);
    try {
      return await work(report);
    } finally {
      this.#running.delete(verdict);
    }
  }

  /** Each opens lanes that count for no agent, so one agent could take them all. */
  #checkRoom(actor: Actor): void {
    const count = this.list().filter((one) => one.actor === actor).length;
    if (!actor.startsWith('agent:') || count < verifyLimits.agentVerificationsMax) return;
    throw fault('VERIFICATIONS_FULL', { actor, count });
  }
}
