import type { ServiceSignal, Verdict } from '../api-schema.ts';
import type { ChangeCoverage } from '../line-coverage/api-schema.ts';

const lineCharsMax = 400;
const noticesMax = 12;
/** Those of four services; worse ones come first. */
const signalsMax = 24;
const callsMax = 40;
const candidatesMax = 24;
const unexecutedMax = 10;
const codeCharsMax = 160;
const filesMax = 12;

/** A verdict with short lists; it keeps all findings. */
export function briefly<Whole extends Verdict>(verdict: Whole): Whole {
  const { reach, signals, disputed, coverage } = verdict;
  const left = signals.length - signalsMax;
  const further = left > 0 ? [`${left} more signals are left out of this verdict`] : [];
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
    ...(coverage ? { coverage: cutCoverage(coverage, unexecutedMax) } : {}),
    ...(disputed ? { disputed: cutDeep(disputed, lineCharsMax, noticesMax) } : {}),
  };
}

/** Only what decided the verdict. */
export function barely<Whole extends Verdict>(verdict: Whole): Whole {
  const signals = verdict.signals.filter(({ verdict: one }) => one === 'worse').slice(0, 4);
  const reach = { ...verdict.reach, candidates: [], silent: [], lost: [] };
  const { coverage } = verdict;
  const covered = coverage ? { coverage: cutCoverage(coverage, 1) } : {};
  return { ...verdict, notices: [], signals, calls: [], reach, ...covered };
}

function cutCoverage(coverage: ChangeCoverage, most: number): ChangeCoverage {
  const { unexecuted, unexecutedOmitted } = coverage;
  const left = Math.max(0, unexecuted.length - most);
  return {
    ...cutDeep({ ...coverage, unexecuted: unexecuted.slice(0, most) }, codeCharsMax, filesMax),
    unexecutedOmitted: unexecutedOmitted + left,
  };
}

const order: readonly ServiceSignal['verdict'][] = ['worse', 'inconclusive', 'not-worse'];

function worseFirst(one: ServiceSignal, other: ServiceSignal): number {
  return order.indexOf(one.verdict) - order.indexOf(other.verdict);
}

/** Cuts all texts to so many characters, and all lists to so many items. */
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
