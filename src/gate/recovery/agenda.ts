import type { Instant } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';

interface Appointment {
  /** The tool of the call, and those that its recovery reads. */
  readonly tools: readonly string[];
  readonly lookedAt: Instant;
  readonly at: Instant;
  readonly waitMs: number;
}

const never = Number.MAX_SAFE_INTEGER;

/**
 * When this process looks at each unresolved proposal again. In memory only: a new process looks
 * at all of them at once, because what could not be read before may be readable now.
 */
export class Agenda {
  readonly #appointments = new Map<string, Appointment>();
  readonly #underWay = new Set<string>();
  readonly #running = new Set<string>();

  isDue(proposal: string, now: Instant): boolean {
    return now >= (this.#appointments.get(proposal)?.at ?? 0);
  }

  /** Whether this process has looked before and has to look again. */
  isRepeat(proposal: string): boolean {
    return this.#appointments.has(proposal);
  }

  /** Each wait is twice as long as the one before. */
  postpone(proposal: string, tools: readonly string[], now: Instant): void {
    const { recoveryWaitMsMin, recoveryWaitMsMax } = gateLimits;
    const before = this.#appointments.get(proposal)?.waitMs ?? 0;
    const waitMs = Math.min(Math.max(2 * before, recoveryWaitMsMin), recoveryWaitMsMax);
    this.#appointments.set(proposal, { tools, lookedAt: now, at: now + waitMs, waitMs });
  }

  /** A person decides, unless somebody uses the tool before: then it may be readable again. */
  rest(proposal: string, tools: readonly string[], now: Instant): void {
    this.#appointments.set(proposal, { tools, lookedAt: now, at: never, waitMs: 0 });
  }

  forget(proposal: string): void {
    this.#appointments.delete(proposal);
  }

  /** Somebody uses a tool, so what waits for it is looked at soon, but not with every use. */
  touch(tool: string): void {
    for (const [proposal, known] of this.#appointments) {
      if (!known.tools.includes(tool)) continue;
      const at = Math.min(known.at, known.lookedAt + gateLimits.recoveryUseMsMin);
      this.#appointments.set(proposal, { ...known, at });
    }
  }

  /** False if the same recovery runs: the next maintenance must not overtake a slow step. */
  begin(proposal: string): boolean {
    if (this.#underWay.has(proposal)) return false;
    this.#underWay.add(proposal);
    return true;
  }

  end(proposal: string): void {
    this.#underWay.delete(proposal);
  }

  /** The call was told to stop and continues, so it may still change what is read now. */
  isRunning(proposal: string): boolean {
    return this.#running.has(proposal);
  }

  /** Looks at a call as soon as it has ended after all. */
  whileRunning(proposal: string, ended: Promise<unknown>): void {
    this.#running.add(proposal);
    const settle = (): void => {
      this.#running.delete(proposal);
      const known = this.#appointments.get(proposal);
      if (known) this.#appointments.set(proposal, { ...known, at: 0 });
    };
    ended.then(settle, settle);
  }
}
