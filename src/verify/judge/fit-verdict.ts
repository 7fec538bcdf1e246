import type { Json } from '../../kernel/index.ts';
import type { Finding, Verdict } from '../api-schema.ts';
import { verifyLimits } from '../limits.ts';
import { barely, briefly, cutDeep, cutText } from './brief-verdict.ts';

const valueCharsMax = 240;
/** More never fit: even an empty finding has over 200 bytes. */
const findingsMax = 80;
/** Agents begin with the first findings, so these keep more lines. */
const leaders = 2;
/** Lines of paths and logs, of the first findings and of others; later also fewer findings. */
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

/**
 * Fits a verdict into the limit that an agent can read at once. The last findings are left out
 * first; the first finding always stays, if need be without everything else.
 */
export function boundVerdict<Whole extends Verdict>(verdict: Whole): Whole {
  const brief = briefly(verdict);
  for (const lines of linesMost) {
    const cut = { ...brief, findings: cutAll(verdict.findings, lines) };
    if (fits(cut)) return cut;
  }
  const bare = barely(brief);
  return withFewer(brief, verdict.findings) ?? withFewer(bare, verdict.findings) ?? atLeast(bare);
}

/** Characters of texts and items of lists. No id is longer than 60. */
const leastOf = [
  [200, 12],
  [100, 4],
  [60, 2],
  [60, 1],
] as const;

/** The last resort: one finding, and everything cut until it fits. */
function atLeast<Whole extends Verdict>(verdict: Whole): Whole {
  const { findings } = verdict;
  const one = {
    ...verdict,
    findings: cutAll(findings, [2, 2]).slice(0, 1),
    findingsOmitted: Math.max(0, findings.length - 1),
  };
  const cuts = leastOf.map(([chars, items]) => cutDeep(one, chars, items));
  return cuts.find(fits) ?? (cuts.at(-1) as Whole);
}

function withFewer<Whole extends Verdict>(whole: Whole, all: readonly Finding[]): Whole | null {
  const [more, less] = linesLeast.map((lines) => cutAll(all, lines));
  const least = Math.min(1, all.length);
  for (
    let count = Math.min(Math.max(all.length - 1, least), findingsMax);
    count >= least;
    count--
  ) {
    // If only the first findings are left, they have to be short, too.
    const findings = ((count > leaders ? more : less) ?? []).slice(0, count);
    const cut = { ...whole, findings, findingsOmitted: all.length - count };
    if (fits(cut)) return cut;
  }
  return null;
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
  return Buffer.byteLength(JSON.stringify(verdict)) <= verifyLimits.verdictBytesMax;
}

function cutFinding(finding: Finding, most: number): Finding {
  const cutLines = (texts: readonly string[]): string[] =>
    texts.slice(0, most).map((line) => cutText(line));
  const { logs, lines } = finding;
  const brief = {
    logs: cutLines(logs),
    lines: lines
      .slice(0, most)
      .map(({ text, file, ...at }) => ({ ...at, file: cutText(file), text: cutLines(text) })),
  };
  if (finding.kind === 'wire') {
    const { sampleBefore, sampleAfter } = finding;
    const samples = { sampleBefore: cut(sampleBefore), sampleAfter: cut(sampleAfter) };
    const { hop, field } = finding;
    const where = { hop: cutText(hop), field: cutText(field) };
    return { ...finding, ...brief, ...samples, ...where, ...cutSides(finding) };
  }
  if (finding.kind === 'difference') {
    const { before, after } = finding.examples;
    const { hop, place } = finding;
    const where = { hop: hop && cutText(hop), place: place && cutText(place) };
    const examples = { before: cut(before), after: cut(after) };
    return { ...finding, ...brief, ...where, ...cutSides(finding), examples };
  }
  const { check, expected, actual, path } = finding;
  return {
    ...finding,
    ...brief,
    check: cutText(check),
    expected: cut(expected),
    actual: cut(actual),
    path: cutLines(path),
  };
}

function cutSides(sides: { before: string; after: string }): { before: string; after: string } {
  return { before: cutText(sides.before), after: cutText(sides.after) };
}

function cut(value: Json): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= valueCharsMax ? value : cutText(text, valueCharsMax);
}
