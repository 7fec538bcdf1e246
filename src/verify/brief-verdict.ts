import type { ServiceSignal } from './service-signal.ts';
import type { Verdict } from './verdict.ts';

const lineCharsMax = 400;
const noticesMax = 12;
/** Those of four services; the worse ones are told first. */
const signalsMax = 24;
const callsMax = 40;
const candidatesMax = 24;

/** A verdict without what nobody reads to the end; of findings nothing is left out here. */
export function briefly<Whole extends Verdict>(verdict: Whole): Whole {
  const { reach, signals } = verdict;
  const left = signals.length - signalsMax;
  const further = left > 0 ? [`${left} further signals are left out of this verdict`] : [];
  return {
    ...verdict,
    reason: cutText(verdict.reason),
    notices: [...further, ...verdict.notices].slice(0, noticesMax).map((one) => cutText(one)),
    signals: left > 0 ? signals.toSorted(worseFirst).slice(0, signalsMax) : signals,
    calls: verdict.calls.slice(0, callsMax),
    reach: {
      ...reach,
      reason: reach.reason && cutText(reach.reason),
      candidates: reach.candidates.slice(0, candidatesMax),
      silent: reach.silent.slice(0, candidatesMax),
      lost: reach.lost.slice(0, noticesMax),
    },
  };
}

/** Only what it was judged by. */
export function barely<Whole extends Verdict>(verdict: Whole): Whole {
  const signals = verdict.signals.filter(({ verdict: one }) => one === 'worse').slice(0, 4);
  const reach = { ...verdict.reach, candidates: [], silent: [], lost: [] };
  return { ...verdict, notices: [], signals, calls: [], reach };
}

const order: readonly ServiceSignal['verdict'][] = ['worse', 'inconclusive', 'not-worse'];

function worseFirst(one: ServiceSignal, other: ServiceSignal): number {
  return order.indexOf(one.verdict) - order.indexOf(other.verdict);
}

export function cutText(text: string, charsMax: number = lineCharsMax): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
}
