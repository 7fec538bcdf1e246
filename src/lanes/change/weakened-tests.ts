import { isTestFile } from '../../system/index.ts';
import { changesRunner } from './test-runners.ts';
import { type FileDiff, parseDiff } from './unified-diff.ts';

/** A test file that a change makes check less, and by what. */
export interface WeakenedTest {
  readonly file: string;
  readonly why: string;
  /** It checks as much as before, but something else: changes of behaviour do that. */
  readonly isTurned?: true;
}

/** What keeps a test from running or lets it fail, in the languages of services. */
const skips =
  /\.(?:skip|todo|only|fails|skipIf|runIf)\b|\bx(?:it|test|describe)\s*\(|\bf(?:it|describe)\s*\(|\bskip(?:Test|If|Unless)?\s*\(|@(?:pytest\.mark|unittest)\.(?:skip|xfail|expectedFailure)|@(?:Disabled|Ignore)\b|\bt\.Skip|#\[ignore|^\s*return;\s*$/;
const tests =
  /\b(?:test|it)(?:\.\w+)*\s*(?:<[^>]*>)?\(|^\s*(?:async\s+)?def\s+test_|^func\s+Test\w|@Test\b|#\[test\]/;
const assertions =
  /\bexpect(?:\.\w+)*\s*\(|\bassert\w*[\s.(!]|\bcheck\s*\(|\bt\.(?:Error|Fatal)f?\(|\bself\.assert\w+\(/;
/** Says little whatever the value is. */
const vague =
  /\.(?:toBeDefined|toBeTruthy|toBeFalsy|toBeInstanceOf|toMatchObject)\(|expect\.(?:any(?:thing)?|\w+Containing)\(|not\.toThrow\(|\bassert\s+(?:True|true|1)\b|is not None/;

/**
 * Tests that a change deletes, skips, or makes say less; pure, on a diff that git itself made: what
 * somebody writes can be read in several ways. What moved from one file to another is there as
 * before: tests and assertions are counted over all.
 */
export function weakenedTests(diff: string): WeakenedTest[] {
  const all = parseDiff(diff);
  const parts = all.filter(({ from, to }) => isTestFile(from) || isTestFile(to));
  return [
    ...parts.flatMap(ownWeakness),
    ...fewer(parts),
    ...lost(parts),
    ...swapped(parts),
    ...parts.flatMap(otherExpectation),
    ...otherRunners(all),
  ];
}

function otherRunners(parts: readonly FileDiff[]): WeakenedTest[] {
  return parts
    .filter(({ from, to, removed, added }) => changesRunner(to || from, [...removed, ...added]))
    .map(({ from, to }) => ({ file: to || from, why: 'changes which tests are run' }));
}

const testName =
  /\b(?:test|it)(?:\.\w+)*\s*\(\s*(["'`])(.+?)\1|\bdef\s+(test_\w+)|^func\s+(Test\w+)/;

/** As many others don't make up for a test that is gone from a file that is gone. */
function lost(parts: readonly FileDiff[]): WeakenedTest[] {
  const kept = new Set(parts.flatMap(({ added }) => namesIn(added)));
  return parts
    .filter(({ from, to }) => to === '' && isTestFile(from))
    .filter(({ removed }) => namesIn(removed).some((name) => !kept.has(name)))
    .map(({ from }) => ({ file: from, why: 'is deleted with its tests' }));
}

/** Another name alone is none; with assertions that are nowhere any more, it is another test. */
function swapped(parts: readonly FileDiff[]): WeakenedTest[] {
  const added = parts.flatMap((part) => part.added);
  const kept = new Set(namesIn(added));
  const addedLines = new Set(added.map(bareLine));
  const isGone = (line: string): boolean =>
    assertions.test(line) && !addedLines.has(bareLine(line));
  return parts
    .filter(({ to, removed }) => to !== '' && removed.some(isGone))
    .filter(({ removed }) => namesIn(removed).some((name) => !kept.has(name)))
    .map(({ to }) => ({ file: to, why: 'has other tests than before', isTurned: true }));
}

/** The same assertion with another value in it: what was wrong before is right by it. */
function otherExpectation({ to, removed, added }: FileDiff): WeakenedTest[] {
  const addedLines = new Set(added.map(bareLine));
  const shapes = new Set(added.filter(isExpectation).map(shapeOf));
  const isOther = (line: string): boolean =>
    isExpectation(line) && !addedLines.has(bareLine(line)) && shapes.has(shapeOf(line));
  return to !== '' && removed.some(isOther)
    ? [{ file: to, why: 'expects something else than before', isTurned: true }]
    : [];
}

/** An assertion, or a line of the value that it is about: `fee: 5,`. */
function isExpectation(line: string): boolean {
  const text = line.trim();
  return assertions.test(text) || (text.endsWith(',') && !/^[/#*]|[(=]/.test(text));
}

function bareLine(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

const literals =
  /(["'`])(?:\\.|(?!\1)[^\\])*\1|\b\d[\d_.]*(?:e[+-]?\d+)?n?\b|\b(?:true|false|null)\b/gi;

/** Nobody writes an expectation as long as that by hand: all of them are alike. */
const lineCharsMax = 2_000;

/** Without whatever values stand in it. */
function shapeOf(line: string): string {
  if (line.length > lineCharsMax) return '';
  return bareLine(line)
    .replace(/-(?=\d)/g, '')
    .replace(literals, '0');
}

function namesIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const [, , quoted, python, go] = testName.exec(line) ?? [];
    return quoted ?? python ?? go ?? [];
  });
}

function ownWeakness({ from, to, added, removed }: FileDiff): WeakenedTest[] {
  const file = to || from;
  const found: string[] = [];
  if (from && to && isTestFile(from) && !isTestFile(to)) found.push(`is no test as ${to}`);
  if (count(added, skips) > count(removed, skips)) found.push('skips or singles out a test');
  const isVaguer = count(added, vague) > count(removed, vague);
  if (isVaguer && removed.some((line) => assertions.test(line))) {
    found.push('has an assertion that says less than before');
  }
  return found.map((why) => ({ file, why }));
}

/** Told of the files that lost the most. */
function fewer(parts: readonly FileDiff[]): WeakenedTest[] {
  const lost = (marks: RegExp) => (part: FileDiff) =>
    count(part.removed, marks) - count(part.added, marks);
  return (
    [
      [tests, 'tests'],
      [assertions, 'assertions'],
    ] as const
  ).flatMap(([marks, what]) => {
    const balance = parts.reduce((sum, part) => sum + lost(marks)(part), 0);
    if (balance <= 0) return [];
    return parts
      .map((part) => ({ file: part.from || part.to, missing: lost(marks)(part) }))
      .filter(({ missing }) => missing > 0)
      .map(({ file, missing }) => ({ file, why: `has ${missing} ${what} less` }));
  });
}

/** What is commented out counts as gone. */
function count(lines: readonly string[], marks: RegExp): number {
  return lines.filter((line) => !/^\s*(?:\/\/|#(?!\[)|\*|\/\*)/.test(line) && marks.test(line))
    .length;
}
