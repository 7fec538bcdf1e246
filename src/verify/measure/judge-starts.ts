import type { ServiceSignal } from '../api-schema.ts';
import type { MeasuredSignal } from './signals.ts';
import { isMeasured, judgeSignals, type Start, signalRules } from './statistics/index.ts';

type Starts = readonly (readonly MeasuredSignal[])[];

/** Pure: judges every signal of all requests by all starts together. */
export function judgeStarts(starts: Starts): ServiceSignal[] {
  return judge(starts.map((start) => start.filter(({ route }) => route === undefined)));
}

/** Pure: the same for the signals of single routes, which do not make others harder to decide. */
export function judgeRoutes(starts: Starts): ServiceSignal[] {
  return judge(starts.map((start) => start.filter(({ route }) => route !== undefined)));
}

function judge(starts: Starts): ServiceSignal[] {
  const names = new Map(starts.flat().map((one) => [nameOf(one), one]));
  const measured = [...names.values()].map((one) => ({
    service: one.service,
    signal: one.signal,
    ...(one.route === undefined ? {} : { route: one.route }),
    rule: signalRules[one.signal],
    starts: starts.flatMap((start) => findStart(start, one)),
  }));
  return judgeSignals(measured).map((judged, index) => {
    const { service = '', route, starts: own = [] } = measured[index] ?? {};
    const signal = { service, ...(route === undefined ? {} : { route }), ...judged };
    return { ...signal, verdict: verdictOn(signal, own, starts.length) };
  });
}

/** A start with fewer pairs may be a hiccup. */
const pairsToCount = 10;

/** A signal is only worse if every start has enough pairs of it. */
function verdictOn(
  signal: ServiceSignal,
  own: readonly Start[],
  taken: number,
): ServiceSignal['verdict'] {
  if (hasNewErrors(signal) && hasRepeatedErrors(own)) return 'worse';
  const counting = own.filter((start) => start.filter(isMeasured).length >= pairsToCount).length;
  return signal.verdict === 'worse' && counting < taken ? 'inconclusive' : signal.verdict;
}

const errorsToFail = 3;

/**
 * Three errors in one start may be one hiccup elsewhere, which hits either version. With three in
 * two starts, at most 1 % of verdicts are wrong if both versions fail one request in 20 to 200.
 */
function hasRepeatedErrors(starts: readonly Start[]): boolean {
  return starts.filter((start) => errorsIn(start) >= errorsToFail).length > 1;
}

function errorsIn(start: Start): number {
  return start.filter(isMeasured).reduce((sum, { candidate }) => sum + candidate, 0);
}

/** Enough new errors that a fresh start is worth its time. */
export function hasManyNewErrors(signal: ServiceSignal): boolean {
  return hasNewErrors(signal) && signal.after >= errorsToFail;
}

function findStart(start: readonly MeasuredSignal[], wanted: SignalKey): Start[] {
  return start.filter((one) => nameOf(one) === nameOf(wanted)).map((one) => one.start);
}

type SignalKey = Pick<MeasuredSignal, 'service' | 'signal' | 'route'>;

function nameOf({ service, signal, route = '' }: SignalKey): string {
  return `${service} ${signal} ${route}`;
}

/** Errors where the baseline has none: no number of good answers makes them harmless. */
export function hasNewErrors({ signal, before, after }: ServiceSignal): boolean {
  return signal === 'errors' && before === 0 && after > 0;
}
