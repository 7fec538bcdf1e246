import { cutText } from '../../judge/brief-verdict.ts';
import type { Finding } from '../../judge/finding.ts';
import type { ServiceSignal } from '../../judge/service-signal.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { Profile } from '../../pipeline/profile.ts';

/** What verdicts on identical code were. */
export type CalibrationRun = {
  readonly profile: Profile;
  /** How many services were started anew for each: every one adds its own chance. */
  readonly atOnce: number;
  readonly verdicts: number;
  /** Those that failed, with nothing changed. */
  readonly falseAlarms: number;
  /** Those that were not sure. */
  readonly inconclusive: number;
  readonly services: readonly string[];
  /** What raised the false alarms, and why others were not sure. */
  readonly alarms: readonly string[];
  readonly doubts: readonly string[];
  /** CPU time, one process to another of the same code: how lucky a start can be. */
  readonly cpuRatios: readonly number[];
};

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
    alarms: isAlarm ? findings.map((one) => cutText(tellAlarm(one), alarmCharsMax)) : [],
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

function tellAlarm(finding: Finding): string {
  const { id, service } = finding;
  if (finding.kind === 'check') {
    const { suite, check, expected, actual } = finding;
    const values = `${JSON.stringify(expected)} → ${JSON.stringify(actual)}`;
    return `${id} check "${check}" of suite ${suite}, ${service ?? 'no service'}: ${values}`;
  }
  const { what, hop, before, after } = finding;
  const kind = finding.kind === 'wire' ? 'contract' : finding.class;
  const place = finding.kind === 'wire' ? finding.field : finding.place;
  const where = [service, hop, place].filter((one) => one).join(', ');
  return `${id} ${kind} ${what} by ${where}: ${before} → ${after}`;
}

function cpuRatio({ signal, ratio }: ServiceSignal): number[] {
  return signal === 'cpu-us' && ratio !== null ? [Math.round(ratio * 1_000) / 1_000] : [];
}
