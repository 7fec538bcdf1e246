import type { ServiceSignal, Verdict } from '../api-schema.ts';

const lineCharsMax = 400;
const noticesMax = 12;
/** Those of four services; the worse ones are told first. */
const signalsMax = 24;
const callsMax = 40;
const candidatesMax = 24;

/** A verdict without what nobody reads to the end; of findings nothing is left out here. */
export function briefly<Whole extends Verdict>(verdict: Whole): Whole {
  const { reach, signals, disputed } = verdict;
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
      lost: reach.lost.slice(0, noticesMax).map((one) => cutDeep(one, lineCharsMax, 1)),
    },
    ...(disputed ? { disputed: cutDeep(disputed, lineCharsMax, noticesMax) } : {}),
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

/** Whatever stands in it: texts of so many characters, and so many of each list. */
export function cutDeep<Value>(value: Value, charsMax: number, listMax: number): Value {
  const cutOne = (one: unknown): unknown => {
    if (typeof one === 'string') return cutText(one, charsMax);
    if (Array.isArray(one)) return one.slice(0, listMax).map(cutOne);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, cutOne(part)]));
  };
  return cutOne(value) as Value;
}

export function cutText(text: string, charsMax: number = lineCharsMax): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
}
