import { type Instant, isFault, type Json, type Outcome } from '../../kernel/index.ts';
import type { Decided, ReadRows, Request } from '../../ledger/index.ts';
import type { AdmissionRequest, AdmissionResult } from '../admission.ts';
import { endingOf } from '../result.ts';
import { settlement } from '../settlement.ts';
import { settlingOf } from './settling.ts';

type Admitting = Request<AdmissionResult>;
type Granted = Extract<AdmissionResult, { verdict: 'grant' }>;

/**
 * A call whose whole effect is entries of the ledger: its grant, its effect and its outcome are one
 * transaction. So none of them is ever without the others, and they wait for the disk once.
 */
export function withEffect(
  admitting: Admitting,
  asked: AdmissionRequest,
  effect: Request<Json>,
): Admitting {
  return {
    ...admitting,
    keys: [...admitting.keys, ...effect.keys],
    freshKeys: [...(admitting.freshKeys ?? []), ...(effect.freshKeys ?? [])],
    decide: (rows, now) => {
      const admitted = admitting.decide(rows, now);
      const admission = admitted.result([]);
      if (admission.verdict !== 'grant') return admitted;
      return { ...admitted, next: () => effectOf(asked, admission, effect) };
    },
  };
}

function effectOf(asked: AdmissionRequest, admission: Granted, effect: Request<Json>): Admitting {
  const proposal = asked.id;
  const ended = (outcome: Outcome): Admitting => outcomeOf(asked, admission, outcome);
  return {
    keys: [],
    decide: (rows, now) => {
      const decided = tryDecide(effect, rows, now);
      if ('fault' in decided) {
        const failed: Outcome = { status: 'failed', proposal, fault: decided.fault };
        return { drafts: [], result: () => admission, next: () => ended(failed) };
      }
      const { drafts, result } = decided;
      return {
        drafts,
        result: () => admission,
        next: (entries) => ended({ status: 'committed', proposal, value: result(entries) }),
      };
    },
  };
}

/** A refusal is an outcome. Anything else, such as a row that is not loaded, is none. */
function tryDecide(effect: Request<Json>, rows: ReadRows, now: Instant) {
  try {
    return effect.decide(rows, now);
  } catch (error) {
    if (isFault(error)) return { fault: error };
    throw error;
  }
}

function outcomeOf(asked: AdmissionRequest, admission: Granted, outcome: Outcome): Admitting {
  const ending = endingOf(asked.prepared.question, outcome);
  const { keys, decide } = settlement(settlingOf(asked, admission), outcome, ending);
  return {
    keys,
    decide: (rows, now): Decided<AdmissionResult> => {
      const { drafts } = decide(rows, now);
      return { drafts, result: () => ({ ...admission, done: { outcome, ending } }) };
    },
  };
}
