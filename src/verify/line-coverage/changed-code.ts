import { type FileDiff, parseDiff, type WatchedLines } from '../../lanes/index.ts';
import { isTestFile } from '../../system/index.ts';
import { type CodeOutline, type ExecutionUnit, outlineOf } from './code-outline.ts';

/** One version of a changed file. */
export interface CodeVersion {
  readonly text: string;
  /** Null if the file is not JavaScript or TypeScript, or can't be parsed. */
  readonly outline: CodeOutline | null;
}

/** Adjacent changed lines, by their numbers in each version. */
export interface ChangedBlock {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/**
 * `node` and `python` report which lines run; `other` are programs that report nothing; `data` is
 * no program: configuration, SQL, templates, static files, package manifests.
 */
export type CodeLanguage = 'node' | 'python' | 'other' | 'data';

export interface ChangedFile {
  /** From the top of the repository. */
  readonly file: string;
  readonly language: CodeLanguage;
  readonly before: CodeVersion | null;
  readonly after: CodeVersion | null;
  /** Empty if only comments, types and white space changed. */
  readonly blocks: readonly ChangedBlock[];
}

const languages: readonly (readonly [CodeLanguage, RegExp])[] = [
  ['node', /\.[cm]?[jt]sx?$/],
  ['python', /\.py$/],
  [
    'other',
    /\.(?:go|rs|java|kt|kts|scala|groovy|clj|rb|php|cs|fs|vb|c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|dart|ex|exs|erl|hs|ml|lua|pl|pm|r|jl|zig|nim|cr|sh|bash|vue|svelte)$/i,
  ],
];

export function languageOf(file: string): CodeLanguage {
  return languages.find(([, pattern]) => pattern.test(file))?.[0] ?? 'data';
}

/** Pure, on a diff whose context is the whole of each file. Tests of the change are left out. */
export function readChangedCode(diff: string): ChangedFile[] {
  return parseDiff(diff)
    .filter(({ from, to }) => !isTestFile(to || from))
    .map(readFile);
}

/** So many lines of context that a hunk is the whole file. */
export const wholeFileLines = 10_000_000;

function readFile({ from, to, hunks }: FileDiff): ChangedFile {
  const file = to || from;
  const language = languageOf(file);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const version = (without: 'added' | 'removed', isThere: boolean): CodeVersion | null => {
    if (!isThere) return null;
    const own = lines.filter(({ kind }) => kind !== without).map(({ text }) => text);
    const text = own.join('\n');
    return { text, outline: language === 'node' ? outlineOf(file, text) : null };
  };
  const [before, after] = [version('added', from !== ''), version('removed', to !== '')];
  const isSame = before?.outline != null && before.outline.key === after?.outline?.key;
  return { file, language, before, after, blocks: isSame ? [] : blocksOf(lines) };
}

function blocksOf(lines: FileDiff['hunks'][number]['lines']): ChangedBlock[] {
  const blocks: { added: number[]; removed: number[] }[] = [];
  let isOpen = false;
  for (const { kind, lineBefore, lineAfter } of lines) {
    if (kind !== 'context' && !isOpen) blocks.push({ added: [], removed: [] });
    isOpen = kind !== 'context';
    if (kind === 'added') blocks.at(-1)?.added.push(lineAfter);
    if (kind === 'removed') blocks.at(-1)?.removed.push(lineBefore);
  }
  return blocks;
}

/** The lines that each version has to watch, so that it is known which changed code ran. */
export interface WatchedChange {
  readonly control: WatchedLines;
  readonly candidate: WatchedLines;
}

export function watchedLines(files: readonly ChangedFile[]): WatchedChange {
  const watched = (
    version: (file: ChangedFile) => CodeVersion | null,
    changed: (block: ChangedBlock) => readonly number[],
  ): WatchedLines =>
    Object.fromEntries(
      files
        .filter(({ language }) => language === 'node' || language === 'python')
        .map((file) => [file, linesToWatch(version(file), file.blocks.flatMap(changed))] as const)
        .filter(([, lines]) => lines.length > 0)
        .map(([{ file }, lines]) => [file, lines]),
    );
  return {
    control: watched(
      ({ before }) => before,
      ({ removed }) => removed,
    ),
    candidate: watched(
      ({ after }) => after,
      ({ added }) => added,
    ),
  };
}

const watchedLinesMax = 2_000;
/** Of a long statement, and of the body of a function, which shows that it was called. */
const linesOfRangeMax = 12;

/** Also the beginning of the statement that a line is part of, and of the function around it. */
function linesToWatch(version: CodeVersion | null, changed: readonly number[]): number[] {
  const outline = version?.outline;
  const linesOf = ({ ranges, body }: ExecutionUnit): number[] =>
    [...ranges, ...(body ? [body] : [])].flatMap(({ start, end }) => {
      const [first, last] = [outline?.lineAt(start) ?? 0, outline?.lineAt(end) ?? 0];
      const count = Math.min(last - first + 1, linesOfRangeMax);
      return Array.from({ length: count }, (_, index) => first + index);
    });
  const around = changed.flatMap((line) => outline?.unitsOn(line).flatMap(linesOf) ?? []);
  return [...new Set([...changed, ...around])].sort((a, b) => a - b).slice(0, watchedLinesMax);
}
