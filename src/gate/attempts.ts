import { type Actor, type Fault, type JsonObject, toFault } from '../kernel/index.ts';
import type { Decided, Draft, Ledger } from '../ledger/index.ts';

/** Somebody tried what may not be: a fault for the caller, and an entry for whoever looks later. */
export function attemptDraft(
  actor: Actor,
  what: string,
  refused: Fault,
  about: JsonObject = {},
): Draft {
  return { kind: 'attempt-refused', actor, body: { what, code: refused.code, ...about } };
}

/** Decides against something under the lock, in such a way that the refusal is on the chain. */
export function refuse<Result>(draft: Draft, refused: Fault): Decided<Result> {
  return {
    drafts: [draft],
    result: () => {
      throw refused;
    },
  };
}

/** For what never got as far as a decision: arguments that are no JSON, a grant that is forged. */
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
