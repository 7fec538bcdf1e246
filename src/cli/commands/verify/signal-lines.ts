import type { OperationResponse } from '../../../http/index.ts';
import { formatCalibration } from '../../../verify/report/index.ts';

type Verdict = OperationResponse<'POST /v1/verdicts'>;
type Signal = NonNullable<Verdict['signals']>[number];

/** What was measured, a line for each signal, and how often that is wrong. */
export function signalLines({ signals = [], calibration = null }: Verdict): string[] {
  if (signals.length === 0) return [];
  return [...signals.map(signalLine), `false alarms: ${formatCalibration(calibration)}`];
}

function signalLine(signal: Signal): string {
  const { service, verdict, before, after, ratio, interval, pairs, starts } = signal;
  const { low, high } = interval;
  const range = low === null || high === null ? '' : ` (${percent(low)} to ${percent(high)})`;
  const change = ratio === null ? '' : ` ${percent(ratio)}${range}`;
  const amounts = `${round(before)} → ${round(after)}${change}`;
  const count = `${pairs} pairs, ${starts} ${starts === 1 ? 'start' : 'starts'}`;
  return `signal   ${service} ${signal.signal}: ${amounts}, ${count}: ${verdict}`;
}

function percent(ratio: number): string {
  const change = Math.round((ratio - 1) * 100);
  return `${change < 0 ? '−' : '+'}${Math.abs(change)} %`;
}

function round(amount: number): string {
  return amount >= 100 ? amount.toFixed(0) : String(Math.round(amount * 10) / 10);
}
