import type { Profile, ServiceSignal } from '../api-schema.ts';
import type { Difference } from '../compare/index.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import type { IsSafe, Scenario } from '../traffic/index.ts';
import { isErrorOften, isOutOfNothing, judgeStarts } from './judged-starts.ts';
import { measurePairs, type PairContext } from './pairs.ts';
import { type MeasuredSignal, signalsOf } from './signals.ts';
import { type SignalName, signalRules } from './statistics/index.ts';
import { signalDifference, tellSignal } from './tell-signal.ts';

export interface MeasurePlan {
  readonly profile: Profile;
  readonly lanes: LanePair;
  /** The suites ran on these lanes: that was their warm-up. */
  readonly isWarm: boolean;
  readonly services: readonly string[];
  readonly ingress: string;
  readonly scenarios: readonly Scenario[];
  readonly isSafe: IsSafe;
}

export interface MeasureContext extends PairContext {
  /** Two new lanes like those; they are closed when the work is done. */
  withFreshLanes<Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result>;
}

/** What measuring adds to a verdict. */
export interface Measurement {
  readonly signals: readonly ServiceSignal[];
  readonly differences: readonly Difference[];
  readonly remarks: readonly string[];
  /** Why it can't be said that all is well. */
  readonly undecided: readonly string[];
}

interface Budget {
  readonly starts: number;
  /** So many at least before it is enough: what is rare has to have had a chance. */
  readonly pairsMin: number;
  readonly pairs: number;
  readonly ms: number;
}

export const budgets: Readonly<Record<Profile, Budget>> = {
  quick: { starts: 1, pairsMin: 20, pairs: 60, ms: 5_000 },
  full: { starts: 3, pairsMin: 120, pairs: 150, ms: 30_000 },
};
/** Of a fresh start, as many as the suites would have sent before. */
const warmUpPairs = 20;
/** Errors are rare: once one was seen, more requests tell whether it was chance. */
const pairsAfterError = 3;

/** Pairs on several starts of both versions; what is worse in one is looked at in another. */
export async function measure(plan: MeasurePlan, context: MeasureContext): Promise<Measurement> {
  const { starts } = budgets[plan.profile];
  const measured = [await measureStart(plan, [], context)];
  const isShort = (): boolean => measured.length < starts;
  const isUnconfirmed = (): boolean =>
    measured.length === 1 && judgeStarts(measured).some((one) => isWorse(one) || isErrorOften(one));
  while (!context.signal?.aborted && (isShort() || isUnconfirmed())) {
    const start = await context.withFreshLanes((lanes) =>
      measureStart({ ...plan, lanes, isWarm: false }, measured, context),
    );
    measured.push(start);
  }
  const signals = judgeStarts(measured);
  return context.signal?.aborted ? cutShort(signals) : conclude(signals, plan.profile);
}

/** What may still have to be confirmed, or was not yet seen, decides nothing. */
function cutShort(signals: readonly ServiceSignal[]): Measurement {
  const undecided = ['the deadline passed before everything was measured'];
  return { signals, differences: [], remarks: [], undecided };
}

/** One start, of which it is enough when all signals are decided by it and those before. */
export async function measureStart(
  plan: MeasurePlan,
  before: readonly (readonly MeasuredSignal[])[],
  context: PairContext,
): Promise<readonly MeasuredSignal[]> {
  const { pairs, pairsMin, ms } = budgets[plan.profile];
  const pairPlan = {
    ...plan,
    ...plan.lanes,
    warmUpPairs: plan.isWarm ? 0 : warmUpPairs,
    pairsMax: pairs * pairsAfterError,
    ms,
  };
  const sampled = await measurePairs(
    pairPlan,
    (soFar, isLate) => {
      const count = soFar.pairs.length;
      if (count < pairsMin && !isLate) return false;
      const judged = judgeStarts([...before, signalsOf(soFar)]);
      if (judged.some(isOutOfNothing))
        return judged.some(before.length > 0 ? isWorse : isErrorOften);
      if (judged.every((one) => isSettled(one, plan.profile))) return true;
      return (count >= pairs || isLate) && !judged.some(looksBad);
    },
    context,
  );
  return signalsOf(sampled);
}

/** In a hurry, what was counted and was the same every time need not be proven to be rare. */
function isSettled({ verdict, ratio, before, after }: ServiceSignal, profile: Profile): boolean {
  const isSame = profile === 'quick' && ratio === null && before === after;
  return verdict !== 'inconclusive' || isSame;
}

/** Undecided, and not since it is near to what is borne: a few more pairs are well spent. */
function looksBad({ verdict, ratio, interval: { low } }: ServiceSignal): boolean {
  return verdict === 'inconclusive' && (ratio ?? 0) > 1.3 && (low ?? 0) > 1;
}

/** Of fewer the middle one may be anything. */
const pairsToDoubt = 10;

/** Even the least that it may be is more than anybody bears, or most were far more than that. */
function isFarOff({ verdict, ratio, pairs, interval: { low } }: ServiceSignal): boolean {
  const isMostly = pairs >= pairsToDoubt && (ratio ?? 0) > 3;
  return verdict === 'inconclusive' && (isMostly || (low ?? 0) > 1.5);
}

/** Most requests are known to be well; of the few slowest one can't be sure. */
function isBearable({ signal, interval: { high } }: ServiceSignal): boolean {
  const rule = signalRules[signal as SignalName];
  return rule.kind === 'measured' && high !== null && high < 1 + rule.tolerance;
}

function isWorse({ verdict }: ServiceSignal): boolean {
  return verdict === 'worse';
}

/** Pure: what a verdict says of the signals. */
export function conclude(signals: readonly ServiceSignal[], profile: Profile): Measurement {
  const worse = signals.filter(isWorse);
  const errors = signals.filter((one) => isOutOfNothing(one) && !worse.includes(one));
  const open = signals.filter((one) => !isSettled(one, profile));
  const left = open.filter((one) => !worse.includes(one) && !errors.includes(one));
  const told = left.filter((one) => (profile === 'quick' ? !isFarOff(one) : isBearable(one)));
  return {
    signals,
    differences: worse.map((one) => signalDifference(one, 0.99)),
    remarks: told.length > 0 ? [tellLeft(told)] : [],
    undecided: [
      ...errors.map((one) => `new errors, too few to be sure: ${tellSignal(one)}`),
      ...left.filter((one) => !told.includes(one)).map(tellUndecided),
    ],
  };
}

function tellUndecided(signal: ServiceSignal): string {
  const { pairsNeeded } = signal;
  const needed = pairsNeeded === null ? 'no number of' : `about ${pairsNeeded}`;
  return `${tellSignal(signal)}: ${needed} pairs would decide it`;
}

function tellLeft(left: readonly ServiceSignal[]): string {
  const named = left.map(tellSignal).join('; ');
  return `not decided by so few requests: ${named}`;
}
