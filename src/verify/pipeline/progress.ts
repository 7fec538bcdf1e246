import { type Actor, type Clock, fault } from '../../kernel/index.ts';
import type { RunningVerification } from '../api-schema.ts';
import { verifyLimits } from '../limits.ts';
import { VerificationQueue } from './verification-queue.ts';

/** As in the API, but the stage is null while lanes are being opened. */
type VerificationProgress = Omit<RunningVerification, 'actor' | 'stage'> & {
  readonly actor: Actor;
  readonly stage: string | null;
};

type Begun = Pick<VerificationProgress, 'verdict' | 'actor' | 'change'>;
type Work<Result> = (report: (stage: string) => void) => Promise<Result>;

/** The verifications that are waiting or running; the ledger has the results. */
export class Progress {
  readonly #running = new Map<string, VerificationProgress>();
  readonly #clock: Clock;
  readonly #queue: VerificationQueue;

  constructor(clock: Clock, queue = new VerificationQueue()) {
    this.#clock = clock;
    this.#queue = queue;
  }

  /** Oldest first. */
  list(): readonly VerificationProgress[] {
    return [...this.#running.values()];
  }

  /** Waits until the machine has room. Null if the signal aborts before that. */
  during<Result>(begun: Begun, work: Work<Result>): Promise<Result>;
  during<Result>(
    begun: Begun,
    work: Work<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result | null>;
  async during<Result>(
    begun: Begun,
    work: Work<Result>,
    signal?: AbortSignal,
  ): Promise<Result | null> {
    const { verdict, actor } = begun;
    this.#checkRoom(actor);
    const startedAt = this.#clock.now();
    const report = (stage: string | null): unknown =>
      this.#running.set(verdict, { ...begun, startedAt, stage });
    report(null);
    try {
      return await this.#queue.during(actor, () => work(report), report, signal);
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
