import { type Actor, type Clock, fault } from '../../kernel/index.ts';
import type { RunningVerification } from '../api-schema.ts';
import { verifyLimits } from '../limits.ts';

/** As the API tells it, but for the stage: null as long as lanes are being opened. */
type Running = Omit<RunningVerification, 'actor' | 'stage'> & {
  readonly actor: Actor;
  readonly stage: string | null;
};

/** What runs now, for whoever waits for it; the ledger has what came of it. */
export class Progress {
  readonly #running = new Map<string, Running>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Oldest first. */
  list(): readonly Running[] {
    return [...this.#running.values()];
  }

  async during<Result>(
    begun: Pick<Running, 'verdict' | 'actor' | 'change'>,
    work: (tell: (stage: string) => void) => Promise<Result>,
  ): Promise<Result> {
    const { verdict, actor } = begun;
    this.#checkRoom(actor);
    const startedAt = this.#clock.now();
    const tell = (stage: string | null): unknown =>
      this.#running.set(verdict, { ...begun, startedAt, stage });
    tell(null);
    try {
      return await work(tell);
    } finally {
      this.#running.delete(verdict);
    }
  }

  /** Each takes lanes of its own, which count as nobody's: one agent could take them all. */
  #checkRoom(actor: Actor): void {
    const count = this.list().filter((one) => one.actor === actor).length;
    if (!actor.startsWith('agent:') || count < verifyLimits.agentVerificationsMax) return;
    throw fault('VERIFICATIONS_FULL', { actor, count });
  }
}
