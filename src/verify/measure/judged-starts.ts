import type { ServiceSignal } from '../api-schema.ts';
import type { MeasuredSignal } from './signals.ts';
import { isMeasured, judgeSignals, type Start, signalRules } from './statistics/index.ts';

/** Pure: what all starts together say of every signal. */
export function judgeStarts(starts: readonly (readonly MeasuredSignal[])[]): ServiceSignal[] {
  const names = new Map(starts.flat().map((one) => [nameOf(one), one]));
  const measured = [...names.values()].map(({ service, signal }) => ({
    service,
    signal,
    rule: signalRules[signal],
    starts: starts.flatMap((start) => findStart(start, { service, signal })),
  }));
  return judgeSignals(measured).map((judged, index) => {
    const { service = '', starts: own = [] } = measured[index] ?? {};
    const signal = { service, ...judged };
    return { ...signal, verdict: verdictOn(signal, own, starts.length) };
  });
}

/** Of a start: what fewer pairs say may be a hiccup. */
const pairsToSpeak = 10;

/** What one start has shown decides nothing as long as another has nothing to say on it. */
function verdictOn(
  signal: ServiceSignal,
  own: readonly Start[],
  taken: number,
): ServiceSignal['verdict'] {
  if (isOutOfNothing(signal) && isErrorAgain(own)) return 'worse';
  const heard = own.filter((start) => start.filter(isMeasured).length >= pairsToSpeak).length;
  return signal.verdict === 'worse' && heard < taken ? 'inconclusive' : signal.verdict;
}

const errorsToFail = 3;

/**
 * Three in one start may be one hiccup of somebody else, which hits either version. As many in two
 * starts: where both versions fail one request in 20 to 200, at most 1 % of verdicts are wrong.
 */
function isErrorAgain(starts: readonly Start[]): boolean {
  return starts.filter((start) => errorsIn(start) >= errorsToFail).length > 1;
}

function errorsIn(start: Start): number {
  return start.filter(isMeasured).reduce((sum, { candidate }) => sum + candidate, 0);
}

/** So many errors out of nothing that a fresh start is worth its time. */
export function isErrorOften(signal: ServiceSignal): boolean {
  return isOutOfNothing(signal) && signal.after >= errorsToFail;
}

function findStart(
  start: readonly MeasuredSignal[],
  wanted: Pick<MeasuredSignal, 'service' | 'signal'>,
): Start[] {
  return start.filter((one) => nameOf(one) === nameOf(wanted)).map((one) => one.start);
}

function nameOf({ service, signal }: Pick<MeasuredSignal, 'service' | 'signal'>): string {
  return `${service} ${signal}`;
}

/** Errors where there were none before: no number of good answers makes them harmless. */
export function isOutOfNothing({ signal, before, after }: ServiceSignal): boolean {
  return signal === 'errors' && before === 0 && after > 0;
}
