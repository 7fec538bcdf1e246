import { type FileDiff, type Hunk, parseDiff } from '../../lanes/index.ts';
import type { ChangedPlace } from '../api-schema.ts';
import { isCode, readsOf } from './line-reads.ts';

const namesMax = 5;
const placesMax = 12;
const source = /\.[cm]?[jt]s$/;
const testFile = /(?:^|[./_-])(?:test|spec)s?[./_-]/;

/** The source of a file in the version with the change. */
export type ReadSource = (file: string) => string | null;

/**
 * Where a change may show: the first line after what was changed that uses it, the lines that use a
 * constant it changed, and the changed lines themselves. Pure, on a diff that git made.
 */
export function changedPlaces(diff: string, read: ReadSource): ChangedPlace[] {
  let number = 0;
  const places = parseDiff(diff)
    .filter(isSource)
    .flatMap(({ to, hunks }) =>
      hunks.flatMap((hunk) => {
        const found = [
          ...followingLines(to, hunk),
          ...usesOfConstants(to, hunk, hunks, read(to) ?? ''),
          ...changedLines(to, hunk),
        ];
        const own = number++;
        return found.map((place) => ({ ...place, hunk: own }));
      }),
    );
  if (places.length === 0) return firstLine(diff);
  const isFirst = ({ file, line }: ChangedPlace, index: number): boolean =>
    places.findIndex((one) => one.file === file && one.line === line) === index;
  return places.filter(isFirst).slice(0, placesMax);
}

/** A change of which nothing can be read is a suspect all the same: it can be taken back. */
function firstLine(diff: string): ChangedPlace[] {
  const [file] = parseDiff(diff);
  const line = file?.hunks[0]?.lines.find(({ kind }) => kind !== 'context');
  if (!file || !line) return [];
  const { text, lineBefore, lineAfter } = line;
  const name = file.to || file.from;
  return [
    {
      ...{ file: name, line: lineAfter, lineBefore, text: text.trim() },
      names: [],
      isNew: true,
      hunk: 0,
    },
  ];
}

type FoundPlace = Omit<ChangedPlace, 'hunk'>;

function followingLines(file: string, { lines }: Hunk): FoundPlace[] {
  let added: string[] = [];
  return lines.flatMap(({ kind, text, lineBefore, lineAfter }) => {
    if (kind === 'added') added.push(text);
    if (kind !== 'context') return [];
    const used = assignedNames(added).filter((name) => mentions(text, name));
    added = [];
    if (used.length === 0) return [];
    const names = used.slice(0, namesMax);
    return [{ file, line: lineAfter, lineBefore, text: text.trim(), names, isNew: false }];
  });
}

/** `const LIMIT = 5;` at the top of a file shows where the file uses it. */
function usesOfConstants(
  file: string,
  { lines }: Hunk,
  hunks: readonly Hunk[],
  text: string,
): FoundPlace[] {
  const added = lines.filter(
    ({ kind, text }) => kind === 'added' && /^(?:export )?const /.test(text),
  );
  const names = assignedNames(added.map(({ text }) => text.replace(/^export /, '')));
  if (names.length === 0) return [];
  return text.split('\n').flatMap((line, index) => {
    const used = names.filter((name) => mentions(line, name));
    const lineAfter = index + 1;
    const lineBefore = lineBeforeOf(lineAfter, hunks);
    if (used.length === 0 || lineBefore === null || !isCode(line) || !/^\s/.test(line)) return [];
    const reads = [...new Set([...used, ...readsOf(line)])].slice(0, namesMax);
    return [{ file, line: lineAfter, lineBefore, text: line.trim(), names: reads, isNew: false }];
  });
}

/** Where a line outside of all hunks stood before the change; null inside of one. */
function lineBeforeOf(lineAfter: number, hunks: readonly Hunk[]): number | null {
  let moved = 0;
  for (const { lines, lineAfter: first } of hunks) {
    if (lineAfter < first) break;
    const own = lines.find((line) => line.kind !== 'removed' && line.lineAfter === lineAfter);
    if (own) return own.kind === 'context' ? own.lineBefore : null;
    for (const { kind } of lines) {
      if (kind === 'added') moved++;
      if (kind === 'removed') moved--;
    }
  }
  return lineAfter - moved;
}

/** A changed line stands where its counterpart stood: the removed line with the same number. */
function changedLines(file: string, { lines }: Hunk): FoundPlace[] {
  let removed: number[] = [];
  return lines.flatMap(({ kind, text, lineBefore, lineAfter }) => {
    if (kind === 'removed') removed.push(lineBefore);
    if (kind === 'context') removed = [];
    if (kind !== 'added' || !isCode(text)) return [];
    const names = readsOf(text).slice(0, namesMax);
    if (names.length === 0 || lineBefore < 1) return [];
    const counterpart = removed.shift();
    const before = counterpart ?? lineBefore;
    const isNew = counterpart === undefined;
    return [{ file, line: lineAfter, lineBefore: before, text: text.trim(), names, isNew }];
  });
}

/** What `const x = …` and `const { a, b: c } = …` give a value to. */
function assignedNames(lines: readonly string[]): string[] {
  const names = lines.flatMap((line) => {
    const single = /^\s*(?:const|let|var)\s+([A-Za-z_$][\w$]*)\b/.exec(line)?.[1];
    if (single) return [single];
    const several = /^\s*(?:const|let|var)\s*\{([^}]*)\}/.exec(line)?.[1] ?? '';
    return several.split(',').flatMap(
      (item) =>
        item
          .split(':')
          .at(-1)
          ?.trim()
          .match(/^[\w$]+/)?.[0] ?? [],
    );
  });
  return [...new Set(names)].reverse();
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text);
}

/** A diff without tests: taking a change back must not take its tests away. */
export function sourcesOnly(diff: string): string {
  return parseDiff(diff)
    .filter(({ from, to }) => !testFile.test(to || from))
    .flatMap(({ head, hunks }) => [head, ...hunks.map(({ text }) => text)])
    .join('');
}

/** A diff with one hunk of its source files only. A diff and its reverse count alike. */
export function onlyHunk(diff: string, wanted: number): string {
  let number = 0;
  return parseDiff(diff)
    .filter(isSource)
    .flatMap(({ head, hunks }) => {
      const own = hunks.filter(() => number++ === wanted);
      return own.length === 0 ? [] : [head, ...own.map(({ text }) => text)];
    })
    .join('');
}

export function countHunks(diff: string): number {
  return parseDiff(diff)
    .filter(isSource)
    .reduce((sum, { hunks }) => sum + hunks.length, 0);
}

/** A diff and its reverse have the same source files: one of the names may be empty. */
function isSource({ from, to }: Pick<FileDiff, 'from' | 'to'>): boolean {
  const name = to || from;
  return source.test(name) && !testFile.test(name);
}
