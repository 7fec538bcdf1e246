import type { CalibrationRun, Finding, ServiceSignal, Verdict } from '../../api-schema.ts';
import { cutText } from '../../judge/brief-verdict.ts';

const alarmCharsMax = 400;

export function countOf(
  { verdict, reason, findings, signals, profile }: Verdict,
  services: readonly string[],
): CalibrationRun {
  const isAlarm = verdict === 'fail';
  return {
    profile,
    atOnce: services.length,
    verdicts: 1,
    falseAlarms: isAlarm ? 1 : 0,
    inconclusive: verdict === 'inconclusive' ? 1 : 0,
    services: [...services],
    alarms: isAlarm ? findings.map((one) => cutText(formatAlarm(one), alarmCharsMax)) : [],
    doubts: verdict === 'inconclusive' ? [cutText(reason, alarmCharsMax)] : [],
    cpuRatios: signals.flatMap(cpuRatio),
  };
}

export type Runs = readonly [CalibrationRun, ...CalibrationRun[]];

export function summed(runs: Runs): CalibrationRun {
  return {
    profile: runs[0].profile,
    atOnce: Math.min(...runs.map(({ atOnce }) => atOnce)),
    verdicts: total(runs.map(({ verdicts }) => verdicts)),
    falseAlarms: total(runs.map(({ falseAlarms }) => falseAlarms)),
    inconclusive: total(runs.map(({ inconclusive }) => inconclusive)),
    services: [...new Set(runs.flatMap(({ services }) => services))].sort(),
    alarms: runs.flatMap(({ alarms }) => alarms),
    doubts: runs.flatMap(({ doubts }) => doubts),
    cpuRatios: runs.flatMap(({ cpuRatios }) => cpuRatios),
  };
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function formatAlarm(finding: Finding): string {
  const { id, service } = finding;
  if (finding.kind === 'check') {
    const { suite, check, expected, actual } = finding;
    const values = `${JSON.stringify(expected)} → ${JSON.stringify(actual)}`;
    return `${id} check "${check}" of suite ${suite}, ${service ?? 'no service'}: ${values}`;
  }
  const { class: kind, what, hop, before, after } = finding;
  const place = finding.kind === 'wire' ? finding.field : finding.place;
  const where = [service, hop, place].filter((one) => one).join(', ');
  return `${id} ${kind} ${what} by ${where}: ${before} → ${after}`;
}

function cpuRatio({ signal, ratio }: ServiceSignal): number[] {
  return signal === 'cpu-us' && ratio !== null ? [Math.round(ratio * 1_000) / 1_000] : [];
}
