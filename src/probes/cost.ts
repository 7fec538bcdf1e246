import { checkRequest, type ProbePlan, type ProbeRequest } from './request.ts';

/** What a probe costs its process. A type and not an interface: it goes into the ledger as JSON. */
export type ProbeCost = {
  /** Once, when the debugger is enabled: V8 goes through everything that is loaded. */
  readonly enableMsEstimate: number;
  /** The process stands still for so long at each hit. */
  readonly perHitMsEstimate: number;
  readonly hitsMax: number;
};

// Node 24, two cores, three expressions: 3.6 ms per hit on an idle machine, 5 to 7 on a busy one.
// Enabling took 60 to 160 ms with 200 scripts, and up to 310 with 600. The certificate says what it
// was in the end.
const enableMs = 300;
const pauseMs = 3;
const expressionMs = 1;

/** To be looked at before anything is armed; asks no process. */
export function predictCost(request: ProbeRequest): ProbeCost {
  return costOf(checkRequest(request));
}

export function costOf({ expressions, condition, requestId, hitsMax }: ProbePlan): ProbeCost {
  const evaluations = expressions.length + (condition ? 1 : 0) + (requestId ? 1 : 0);
  return {
    enableMsEstimate: enableMs,
    perHitMsEstimate: pauseMs + evaluations * expressionMs,
    hitsMax,
  };
}
