import type { VerifiedChange } from '../api-schema.ts';
import { formatCoverage } from '../line-coverage/format-coverage.ts';
import { formatCalibration } from './format-calibration.ts';
import { formatConsequence, formatFinding, formatOrigin, groupByCause } from './format-finding.ts';

const badges = { pass: '✅', fail: '❌', inconclusive: '❔' } as const;
const findingsMax = 10;

/**
 * For a pull request. Texts of services, suites and patches are only in code spans, in which
 * nothing is a link, a mention, a picture or a tag.
 */
export function markdownReport(verdict: VerifiedChange): string {
  const { findings, findingsOmitted, notices, reach } = verdict;
  const grouped = groupByCause(findings);
  const origin = formatOrigin(verdict);
  const more = grouped.length - findingsMax + findingsOmitted;
  const lines = [
    `## ${badges[verdict.verdict]} Surety: ${verdict.verdict}`,
    '',
    code(verdict.reason),
    '',
    ...(origin === null ? [] : [`- verified: ${code(origin)}`]),
    `- changed: ${verdict.services.map(code).join(', ') || 'nothing'}`,
    ...reach.candidates.map(
      ({ service, sent, served }) => `- ${code(service)} served ${served} of ${sent} requests`,
    ),
    `- checks: ${verdict.checks.passed} passed, ${verdict.checks.failed} failed`,
    ...(verdict.coverage ? [`- changed lines: ${code(formatCoverage(verdict.coverage))}`] : []),
    '',
    ...grouped.slice(0, findingsMax).flatMap(findingLines),
    ...(more > 0 ? [`… and ${more} more findings.`, ''] : []),
    ...signalLines(verdict),
    ...folded(
      'Notices',
      notices.map((notice) => `- ${code(notice)}`),
    ),
    `<sub>False alarms: ${formatCalibration(verdict.calibration)}</sub>`,
    '',
    `<sub>verdict ${code(verdict.id)}, change ${code(verdict.change)} on ${code(verdict.base.slice(0, 12))}, profile ${verdict.profile}</sub>`,
  ];
  return `${lines.join('\n')}\n`;
}

type CausedFindings = ReturnType<typeof groupByCause>[number];

function findingLines({ finding, consequences }: CausedFindings): string[] {
  const { class: kind, title, where, sides, before, after } = formatFinding(finding);
  const [likely] = finding.lines;
  return [
    `### ${kind}: ${code(title)}`,
    '',
    `- where: ${code(where)}`,
    `- ${sides[0]}: ${code(before)}`,
    `- ${sides[1]}: ${code(after)}`,
    `- reproduce: ${code(finding.reproduction)}`,
    ...(finding.trace === null ? [] : [`- trace: ${code(finding.trace)}`]),
    '',
    ...(likely
      ? [
          `Likely cause, ${code(`${likely.file}:${likely.line}`)}:`,
          '',
          fence(likely.text, 'diff'),
          '',
        ]
      : []),
    ...folded(
      'What follows from it',
      consequences.map((one) => `- ${code(formatConsequence(one))}`),
    ),
    ...folded('Logs of its request', finding.logs.length > 0 ? [fence(finding.logs)] : []),
  ];
}

function signalLines({ signals }: VerifiedChange): string[] {
  const lines = signals.map(({ service, signal, verdict, ratio, interval, before, after }) => {
    const ends = [interval.low, interval.high].map((end) => (end === null ? '?' : percent(end)));
    const change =
      ratio === null ? `${before} → ${after}` : `${percent(ratio)} [${ends.join(', ')}]`;
    return `- ${code(`${service} ${signal}`)}: ${change}, ${verdict}`;
  });
  return folded('Measured signals', lines);
}

export function percent(ratio: number): string {
  const change = (ratio - 1) * 100;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %`;
}

function folded(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`<details><summary>${title}</summary>`, '', ...lines, '', '</details>', ''];
}

/** A span that the text can't close: it has more backticks than the text has in a row. */
function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '—';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

function fence(lines: readonly string[], language = ''): string {
  const text = lines.map((line) => line.replace(/[\r\n]+/g, ' ')).join('\n');
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [`${ticks}${language}`, text, ticks].join('\n');
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
