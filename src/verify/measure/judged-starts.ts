import type { ServiceSignal } from '../service-signal.ts';
import { judgeSignals, type Start, signalRules } from '../statistics/index.ts';
import type { MeasuredSignal } from './signals.ts';

/** Pure: what all starts together say of every signal. */
export function judgeStarts(starts: readonly (readonly MeasuredSignal[])[]): ServiceSignal[] {
  const names = new Map(starts.flat().map((one) => [nameOf(one), one]));
  const measured = [...names.values()].map(({ service, signal }) => ({
    service,
    signal,
    rule: signalRules[signal],
    starts: starts.flatMap((start) => findStart(start, { service, signal })),
  }));
  return judgeSignals(measured).map((verdict, index) => ({
    service: measured[index]?.service ?? '',
    ...verdict,
  }));
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
