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

/** Refuses something under the lock and records the refusal on the chain, if it gets an entry. */
export function refuse<Result>(draft: Draft | undefined, refused: Fault): Decided<Result> {
  return {
    drafts: draft === undefined ? [] : [draft],
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

interface AttemptWindow {
  readonly since: number;
  recorded: number;
  /** Attempts beyond the limit. */
  leftOut: number;
  last: Draft;
}

/**
 * Bounds the entries about refused attempts: so many a minute of one kind by one actor. The next
 * entry of that kind, or one at the end of the minute, says how many were left out.
 */
export class AttemptLimit {
  readonly #now: () => number;
  readonly #windows = new Map<string, AttemptWindow>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The entry about this attempt; undefined if the limit of this minute is reached. */
  admit(draft: Draft): Draft | undefined {
    const window = this.#windowOf(draft);
    if (window.recorded >= gateLimits.refusedAttemptsPerMinuteMax) {
      window.leftOut++;
      window.last = draft;
      return undefined;
    }
    window.recorded++;
    const { leftOut } = window;
    window.leftOut = 0;
    return leftOut === 0 ? draft : withLeftOut(draft, leftOut);
  }

  /** An entry for each kind of which a minute that is over has left out attempts. */
  takeLeftOut(): Draft[] {
    const now = this.#now();
    const over = [...this.#windows].filter(([, { since }]) => now - since >= minuteMs);
    for (const [key] of over) this.#windows.delete(key);
    return over
      .filter(([, { leftOut }]) => leftOut > 0)
      .map(([, { last, leftOut }]) => withLeftOut(last, leftOut));
  }

  #windowOf(draft: Draft): AttemptWindow {
    const { kind, actor, body } = draft;
    const key = JSON.stringify([kind, actor, body.what ?? '', body.code ?? '']);
    const known = this.#windows.get(key);
    if (known && this.#now() - known.since < minuteMs) return known;
    const leftOut = known?.leftOut ?? 0;
    const opened = { since: this.#now(), recorded: 0, leftOut, last: draft };
    this.#windows.set(key, opened);
    return opened;
  }
}

function withLeftOut(draft: Draft, leftOut: number): Draft {
  return { ...draft, body: { ...draft.body, leftOut } };
}

const minuteMs = 60_000;
