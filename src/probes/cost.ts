import type { Script } from './placement/script.ts';
import type { InstrumentPlan, PredictedCost } from './port.ts';

// Node 20 to 26: 0.2 ms of CPU time per script, of which there are 110 in an empty program.
const perScriptMs = 0.2;
/** V8 parses a script again before it can stop in it: 60 ms per megabyte. */
const perMegacharMs = 60;
/** V8 compiles and evaluates a condition at each hit. */
const conditionMs = 0.07;
const expressionMs = 0.01;
/** From the worker, with everything that is read there. */
const pauseMs = 2;

/** How long the first probe stops a process that has loaded so many scripts. */
export function predictStallMs(scripts: number): number {
  return round(scripts * perScriptMs);
}

export interface LoadedCode {
  /** How many scripts the process has loaded. */
  readonly scripts: number;
  readonly script: Script;
}

export function predictCost(plan: InstrumentPlan, { scripts, script }: LoadedCode): PredictedCost {
  const parsing = (script.chars / 1e6) * perMegacharMs;
  const reading = conditionMs + plan.expressions.length * expressionMs;
  return {
    attachMs: round(scripts * perScriptMs + parsing),
    perHitMs: plan.kind === 'exception' ? pauseMs : round(reading),
  };
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
