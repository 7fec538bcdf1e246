import { type Actor, type Fault, type JsonObject, toFault } from '../kernel/index.ts';
import type { Decided, Draft, Ledger } from '../ledger/index.ts';
import { gateLimits } from './limits.ts';

/** The entry about a forbidden attempt. The caller gets a fault. */
export function attemptDraft(
  actor: Actor,
  what: string,
  refused: Fault,
  about: JsonObject = {},
): Draft {
  return { kind: 'attempt-refused', actor, body: { what, code: refused.code, ...about } };
}

/** Refuses something under the lock and records the refusal on the chain. */
export function refuse<Result>(draft: Draft, refused: Fault): Decided<Result> {
  return {
    drafts: [draft],
    result: () => {
      throw refused;
    },
  };
}

/** Records an attempt that never reached a decision, such as invalid JSON or a forged grant. */
export async function recordAttempt(
  ledger: Ledger,
  actor: Actor,
  what: string,
  error: unknown,
  about: JsonObject = {},
): Promise<Fault> {
  const refused = toFault(error);
  await ledger.append(attemptDraft(actor, what, refused, about));
  return refused;
}

/** Counts how many forged grants of the last minute were recorded. */
export class ForgeryLimit {
  readonly #now: () => number;
  #recordedAt: number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** False if the limit of this minute is reached. */
  take(): boolean {
    const now = this.#now();
    this.#recordedAt = this.#recordedAt.filter((at) => now - at < minuteMs);
    if (this.#recordedAt.length >= gateLimits.forgedGrantsPerMinuteMax) return false;
    this.#recordedAt.push(now);
    return true;
  }
}

const minuteMs = 60_000;
