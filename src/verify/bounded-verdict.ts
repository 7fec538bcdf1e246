import { type Json, limits } from '../kernel/index.ts';
import type { Finding } from './finding.ts';
import type { Verdict } from './verdict.ts';

const valueCharsMax = 240;
const lineCharsMax = 400;
const noticesMax = 12;
/** More than ever fit: even an empty one has over 200 bytes. */
const findingsMax = 80;
/** Those that an agent begins with keep more of their lines. */
const leaders = 2;
/** Of paths and logs, of the first findings and of others: fewer lines, then fewer findings. */
const linesMost = [
  [20, 20],
  [20, 8],
  [20, 4],
  [12, 2],
  [8, 2],
] as const;
const linesLeast = [
  [8, 2],
  [2, 2],
] as const;

/** A verdict that an agent can read at once: the first findings whole, the last ones left out. */
export function boundVerdict<Whole extends Verdict>(verdict: Whole): Whole {
  const { reach } = verdict;
  const brief = {
    ...verdict,
    notices: verdict.notices.slice(0, noticesMax).map((notice) => cutText(notice, lineCharsMax)),
    reach: { ...reach, lost: reach.lost.slice(0, noticesMax) },
  };
  for (const lines of linesMost) {
    const cut = { ...brief, findings: cutAll(verdict.findings, lines) };
    if (fits(cut)) return cut;
  }
  const all = verdict.findings.length;
  const [more, less] = linesLeast.map((lines) => cutAll(verdict.findings, lines));
  for (let count = Math.min(all - 1, findingsMax); ; count--) {
    // With none left but the leaders, even they have to be brief.
    const findings = ((count > leaders ? more : less) ?? []).slice(0, count);
    const cut = { ...brief, findings, findingsOmitted: all - count };
    if (count === 0 || fits(cut)) return cut;
  }
}

function cutAll(
  findings: readonly Finding[],
  [ofLeaders, ofOthers]: readonly [number, number],
): Finding[] {
  return findings
    .slice(0, findingsMax + 1)
    .map((one, index) => cutFinding(one, index < leaders ? ofLeaders : ofOthers));
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
