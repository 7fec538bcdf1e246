import type { OperationResponse } from '../../../http/index.ts';
import { formatCalibration, formatCoverage } from '../../../verify/report/index.ts';
import { type ExitCode, exitCodes, type Invocation } from '../../command.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';
import { writeVerdictFiles } from './verdict-files.ts';

type Verdict = OperationResponse<'POST /v1/verdicts'>;

const codes = {
  pass: exitCodes.ok,
  fail: exitCodes.bad,
  inconclusive: exitCodes.unclear,
} as const;
export const verdictTones = { pass: 'good', fail: 'bad', inconclusive: 'warn' } as const;

/** A verdict for people, with every finding and how to reproduce it. */
export async function showVerdict(
  verdict: Verdict,
  { output, options }: Pick<Invocation, 'output' | 'options'>,
): Promise<ExitCode> {
  if (!(await writeVerdictFiles(verdict, { output, options }))) {
    output.value(verdict);
    tell(verdict, output);
  }
  return codes[verdict.verdict];
}

function tell(verdict: Verdict, output: Output): void {
  const { services, reach, findings } = verdict;
  output.line(`${output.tone(verdictTones[verdict.verdict], verdict.verdict)}  ${verdict.reason}`);
  output.line(`    verdict  ${verdict.id}`);
  output.line(`    change   ${verdict.change}`);
  output.line(`    changed  ${services.join(', ')}`);
  for (const { service, sent, served } of reach.candidates) {
    output.line(`    reach    ${service} served ${served} of ${sent} requests sent to it`);
  }
  if (verdict.coverage) output.line(`    lines    ${visible(formatCoverage(verdict.coverage))}`);
  for (const finding of findings) {
    for (const line of [...describe(finding), ...evidence(finding)]) output.line(`    ${line}`);
  }
  if (verdict.findingsOmitted > 0) {
    output.line(`    … and ${verdict.findingsOmitted} more findings`);
  }
  for (const line of signalLines(verdict)) output.line(`    ${line}`);
  for (const notice of verdict.notices) output.line(`    notice   ${visible(notice)}`);
}

type Finding = Verdict['findings'][number];

function describe(finding: Finding): string[] {
  if (finding.kind === 'wire') {
    const { hop, part, field, before, after, sampleBefore, sampleAfter } = finding;
    const samples = `${JSON.stringify(sampleBefore)} → ${JSON.stringify(sampleAfter)}`;
    return [`wire     ${hop}, ${part} ${field}: ${before} → ${after}  (${samples})`];
  }
  if (finding.kind === 'difference') {
    const { class: kind, what, service, hop, place, before, after } = finding;
    const where = [hop, place].filter((one) => one !== null).join(', ');
    return [`${kind.padEnd(8)} ${what} by ${service}: ${where || service}: ${before} → ${after}`];
  }
  const { suite, check, expected, actual, path } = finding;
  return [
    `check    ${suite}: ${check}`,
    `           expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
    ...path.map((hop) => `           ${hop}`),
  ];
}

const lineCharsMax = 160;

/** Where to look, and how to reproduce it. */
function evidence({ id, logs, lines, trace, reproduction }: Finding): string[] {
  const [likely] = lines;
  const tell = (what: string, text: string): string =>
    `           ${what.padEnd(6)} ${visible(text.slice(0, lineCharsMax))}`;
  return [
    ...logs.map((line) => tell('log', line)),
    ...(likely ? [tell('lines', `${likely.file}:${likely.line}`)] : []),
    ...(likely?.text ?? []).map((line) => tell('', line)),
    ...(trace === null ? [] : [tell('trace', trace)]),
    tell('again', reproduction),
    tell('id', id),
  ];
}

type Signal = NonNullable<Verdict['signals']>[number];

/** The measured signals, one line each, and how often such a verdict is wrong. */
function signalLines({ signals = [], calibration = null }: Verdict): string[] {
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
