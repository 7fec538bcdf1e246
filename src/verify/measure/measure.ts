import type { Profile, ServiceSignal } from '../api-schema.ts';
import type { Difference } from '../compare/index.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import type { IsSafe, Scenario } from '../traffic/index.ts';
import { hasManyNewErrors, hasNewErrors, judgeRoutes, judgeStarts } from './judge-starts.ts';
import { measurePairs, type PairContext } from './pairs.ts';
import { type MeasuredSignal, routeSignalsOf, signalsOf } from './signals.ts';
import { type SignalName, signalRules } from './statistics/index.ts';

export interface MeasurePlan {
  readonly profile: Profile;
  readonly lanes: LanePair;
  /** The suites already ran on these lanes, which warmed them up. */
  readonly isWarm: boolean;
  readonly services: readonly string[];
  readonly ingress: string;
  readonly scenarios: readonly Scenario[];
  readonly isSafe: IsSafe;
}

interface MeasureContext extends PairContext {
  /** Opens two new lanes of the same kind, and closes them after the work. */
  withFreshLanes<Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result>;
}

/** What measuring adds to a verdict. */
export interface Measurement {
  readonly signals: readonly ServiceSignal[];
  readonly differences: readonly Difference[];
  readonly remarks: readonly string[];
  /** Why the measurements do not show that the change is fine. */
  readonly undecided: readonly string[];
}

interface Budget {
  readonly starts: number;
  /** At least so many, so that rare events have a chance to show. */
  readonly pairsMin: number;
  readonly pairs: number;
  readonly ms: number;
}

const budgets: Readonly<Record<Profile, Budget>> = {
  quick: { starts: 1, pairsMin: 20, pairs: 60, ms: 5_000 },
  full: { starts: 3, pairsMin: 120, pairs: 150, ms: 30_000 },
};
/** About as many as the suites would have sent to a fresh start. */
const warmUpPairs = 20;
/** Errors are rare: after the first, more requests show whether it was chance. */
const pairsAfterError = 3;

/** Measures pairs on several starts of both versions; a second start has to confirm the first. */
export async function measure(plan: MeasurePlan, context: MeasureContext): Promise<Measurement> {
  const { starts } = budgets[plan.profile];
  const measured = [await measureStart(plan, [], context)];
  const isShort = (): boolean => measured.length < starts;
  while (!context.signal?.aborted && (isShort() || isUnconfirmed(measured))) {
    const start = await context.withFreshLanes((lanes) =>
      measureStart({ ...plan, lanes, isWarm: false }, measured, context),
    );
    measured.push(start);
  }
  const signals = judgeStarts(measured);
  if (context.signal?.aborted) return cutShort(signals);
  return withRoutes(conclude(signals, plan.profile), judgeRoutes(measured));
}

/**
 * Pure. A single start of a process may be unlucky throughout: in how it was compiled, or in
 * answers that its kernel delays. What looks bad in it, proven or not, is measured once more.
 */
export function isUnconfirmed(starts: readonly (readonly MeasuredSignal[])[]): boolean {
  if (starts.length !== 1) return false;
  const judged = [...judgeStarts(starts), ...judgeRoutes(starts)];
  return judged.some((one) => isWorse(one) || hasManyNewErrors(one) || isFarOff(one));
}

/** Routes that got worse, of services of which the same is not known for all requests together. */
export function withRoutes(all: Measurement, routes: readonly ServiceSignal[]): Measurement {
  const isNew = ({ service, signal }: ServiceSignal): boolean =>
    !all.differences.some((one) => one.service === service && one.what === signal);
  const worse = routes.filter((one) => isWorse(one) && isNew(one));
  const doubtful = routes.filter((one) => isFarOff(one) && isNew(one));
  return {
    ...all,
    signals: [...all.signals, ...worse],
    differences: [...all.differences, ...worse.map((one) => signalDifference(one, 0.99))],
    undecided: [...all.undecided, ...doubtful.map(formatUndecided)],
  };
}

/** Unconfirmed signals decide nothing. */
function cutShort(signals: readonly ServiceSignal[]): Measurement {
  const undecided = ['the deadline passed before everything was measured'];
  return { signals, differences: [], remarks: [], undecided };
}

/** One start, until it and the starts before it decide all signals. */
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
      if (judged.some(hasNewErrors))
        return judged.some(before.length > 0 ? isWorse : hasManyNewErrors);
      if (judged.every((one) => isSettled(one, plan.profile))) return true;
      return (count >= pairs || isLate) && !judged.some(looksBad);
    },
    context,
  );
  return [...signalsOf(sampled), ...routeSignalsOf(sampled)];
}

/** `quick` does not prove that a count which was always equal is rarely higher. */
function isSettled({ verdict, ratio, before, after }: ServiceSignal, profile: Profile): boolean {
  const isSame = profile === 'quick' && ratio === null && before === after;
  return verdict !== 'inconclusive' || isSame;
}

/** Undecided, but far above the tolerance: a few more pairs are worth it. */
function looksBad({ verdict, ratio, interval: { low } }: ServiceSignal): boolean {
  return verdict === 'inconclusive' && (ratio ?? 0) > 1.3 && (low ?? 0) > 1;
}

/** The median of fewer means nothing. */
const pairsToDoubt = 10;

/** Even the lower bound is too much, or most pairs are far above it. */
function isFarOff({ verdict, ratio, pairs, interval: { low } }: ServiceSignal): boolean {
  const isMostly = pairs >= pairsToDoubt && (ratio ?? 0) > 3;
  return verdict === 'inconclusive' && (isMostly || (low ?? 0) > 1.5);
}

/** Most requests are known to be fine; only the slowest few are uncertain. */
function isBearable({ signal, interval: { high } }: ServiceSignal): boolean {
  const rule = signalRules[signal as SignalName];
  return rule.kind === 'measured' && high !== null && high < 1 + rule.tolerance;
}

function isWorse({ verdict }: ServiceSignal): boolean {
  return verdict === 'worse';
}

/** Pure: what the signals mean for a verdict. */
export function conclude(signals: readonly ServiceSignal[], profile: Profile): Measurement {
  const worse = signals.filter(isWorse);
  const errors = signals.filter((one) => hasNewErrors(one) && !worse.includes(one));
  const open = signals.filter((one) => !isSettled(one, profile));
  const left = open.filter((one) => !worse.includes(one) && !errors.includes(one));
  const remarked = left.filter((one) => (profile === 'quick' ? !isFarOff(one) : isBearable(one)));
  return {
    signals,
    differences: worse.map((one) => signalDifference(one, 0.99)),
    remarks: remarked.length > 0 ? [formatOpen(remarked)] : [],
    undecided: [
      ...errors.map((one) => `new errors, but too few to be certain: ${formatSignal(one)}`),
      ...left.filter((one) => !remarked.includes(one)).map(formatUndecided),
    ],
  };
}

function formatUndecided(signal: ServiceSignal): string {
  const { pairsNeeded } = signal;
  const needed = pairsNeeded === null ? 'no number of' : `about ${pairsNeeded}`;
  return `${formatSignal(signal)}: ${needed} pairs would decide it`;
}

function formatOpen(left: readonly ServiceSignal[]): string {
  const named = left.map(formatSignal).join('; ');
  return `too few requests to decide: ${named}`;
}

interface Unit {
  readonly name: string;
  readonly digits: number;
}

const units: Readonly<Record<string, Unit>> = {
  us: { name: 'µs', digits: 0 },
  ms: { name: 'ms', digits: 1 },
  bytes: { name: 'bytes', digits: 0 },
};

/** A signal that got worse, as a difference. */
function signalDifference(signal: ServiceSignal, confidence: number): Difference {
  const { service, route, before, after } = signal;
  return {
    class: 'signal',
    what: signal.signal,
    service,
    hop: null,
    place: route ?? null,
    before: amountOf(signal, before),
    after: `${amountOf(signal, after)}${changeOf(signal)}`,
    examples: { before, after },
    severity: 'fail',
    confidence,
  };
}

/** `pricing cpu-us +8 % (95 %: +2 % to +15 %)`. */
function formatSignal(signal: ServiceSignal): string {
  const { service, signal: name, route, ratio, before, after } = signal;
  const amounts = ratio === null ? `: ${before} → ${after}` : changeOf(signal);
  return `${name} of ${service}${route === undefined ? '' : ` for ${route}`}${amounts}`;
}

/** How much more, with the interval. */
function changeOf({ ratio, interval: { low, high }, pairs }: ServiceSignal): string {
  if (ratio === null) return ` in ${pairs} pairs of requests`;
  const bounds = `${low === null ? '?' : percent(low)} to ${high === null ? '?' : percent(high)}`;
  return ` (${percent(ratio)}; 95 %: ${bounds}, in ${pairs} pairs)`;
}

function percent(ratio: number): string {
  const change = Math.round((ratio - 1) * 100);
  return `${change < 0 ? '−' : '+'}${Math.abs(change)} %`;
}

function amountOf({ signal, ratio }: ServiceSignal, amount: number): string {
  if (ratio === null) return String(amount);
  const { name, digits } = units[signal.split('-').at(-1) ?? ''] ?? { name: '', digits: 1 };
  return `${amount.toFixed(digits)} ${name}`;
}
