import { type Json, limits } from '../kernel/index.ts';
import type { Finding } from './finding.ts';
import type { Verdict } from './verdict.ts';

const valueCharsMax = 240;
const lineCharsMax = 400;
const noticesMax = 12;
/** More than ever fit: even an empty one has over 200 bytes. */
const findingsMax = 80;
/** Of paths and logs: first fewer lines of each finding, then fewer findings. */
const linesMost = [20, 8, 4, 2] as const;

/** A verdict that an agent can read at once: the first findings whole, the last ones left out. */
export function boundVerdict<Whole extends Verdict>(verdict: Whole): Whole {
  const { reach } = verdict;
  const brief = {
    ...verdict,
    notices: verdict.notices.slice(0, noticesMax).map((notice) => cutText(notice, lineCharsMax)),
    reach: { ...reach, lost: reach.lost.slice(0, noticesMax) },
  };
  for (const lines of linesMost) {
    const cut = { ...brief, findings: verdict.findings.map((one) => cutFinding(one, lines)) };
    if (fits(cut)) return cut;
  }
  const all = verdict.findings.length;
  const findings = verdict.findings
    .slice(0, findingsMax)
    .map((one) => cutFinding(one, linesMost[3]));
  for (let count = Math.min(all - 1, findingsMax); ; count--) {
    const findingsOmitted = all - count;
    const cut = { ...brief, findings: findings.slice(0, count), findingsOmitted };
    if (count === 0 || fits(cut)) return cut;
  }
}

function fits(verdict: Verdict): boolean {
  return Buffer.byteLength(JSON.stringify(verdict)) <= limits.verdictBytesMax;
}

function cutFinding(finding: Finding, most: number): Finding {
  const cutLines = (texts: readonly string[]): string[] =>
    texts.slice(0, most).map((line) => cutText(line, lineCharsMax));
  const { logs, lines } = finding;
  const brief = {
    logs: cutLines(logs),
    lines: lines.map(({ text, ...place }) => ({ ...place, text: cutLines(text) })),
  };
  if (finding.kind === 'wire') {
    const { sampleBefore, sampleAfter } = finding;
    return { ...finding, ...brief, sampleBefore: cut(sampleBefore), sampleAfter: cut(sampleAfter) };
  }
  if (finding.kind === 'difference') {
    const { before, after } = finding.examples;
    return { ...finding, ...brief, examples: { before: cut(before), after: cut(after) } };
  }
  const { expected, actual, path } = finding;
  return {
    ...finding,
    ...brief,
    expected: cut(expected),
    actual: cut(actual),
    path: cutLines(path),
  };
}

function cut(value: Json): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= valueCharsMax ? value : cutText(text, valueCharsMax);
}

function cutText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
}
