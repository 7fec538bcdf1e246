import type { CodePoint, CoverageRecords, ExecutedPoint } from '../../lanes/index.ts';
import type { ChangeCoverage, UnexecutedCode } from './api-schema.ts';
import type { ChangedBlock, ChangedFile, CodeVersion } from './changed-code.ts';
import type { CodeContext, TextRange } from './code-outline.ts';

interface CoverageInput {
  /** Files of no service of this system, such as documentation, are left out. */
  readonly files: readonly ChangedFile[];
  readonly control: CoverageRecords;
  readonly candidate: CoverageRecords;
  /** The services that run a file. */
  readonly servicesOf: (file: string) => readonly string[];
}

/** Pure: which executable lines of a change ran. Removed lines have to run in the control. */
export function judgeCoverage(input: CoverageInput): ChangeCoverage {
  const code = input.files.filter(
    ({ language, blocks }) => language !== 'data' && blocks.length > 0,
  );
  const data = input.files.filter(
    ({ language, blocks }) => language === 'data' && blocks.length > 0,
  );
  const known = code.filter((file) => isRecorded(file, input));
  const lines = known.flatMap((file) => judgeFile(file, input));
  const unexecuted = mergeAdjacent(lines.flatMap(({ missing }) => missing ?? []));
  const ran = lines.filter(({ missing }) => missing === null).length;
  const unknown = code.filter((file) => !known.includes(file)).map(({ file }) => file);
  return {
    status: statusOf({ lines: lines.length, ran, unknown: unknown.length }),
    lines: lines.length,
    ran,
    unexecuted,
    unexecutedOmitted: 0,
    places: code.flatMap((file) => placesIn(file, unexecuted)).slice(0, placesMax),
    unknown,
    data: data.map(({ file }) => file),
  };
}

const placesMax = 20;

/** Blocks of a change that are not named as never run. */
function placesIn({ file, blocks }: ChangedFile, unexecuted: readonly UnexecutedCode[]): string[] {
  return blocks.flatMap(({ added, removed }) => {
    const change = added.length > 0 ? 'added' : 'removed';
    const lines = added.length > 0 ? added : removed;
    const [line = 0, end = 0] = [lines[0], lines.at(-1)];
    const isWithin = (one: UnexecutedCode): boolean =>
      one.file === file && one.change === change && one.line >= line && one.line <= end;
    if (unexecuted.some(isWithin)) return [];
    const at = end > line ? `${file}:${line}-${end}` : `${file}:${line}`;
    return [change === 'added' ? at : `${at} (removed)`];
  });
}

function statusOf(counts: {
  readonly lines: number;
  readonly ran: number;
  readonly unknown: number;
}): ChangeCoverage['status'] {
  const { lines, ran, unknown } = counts;
  if (unknown > 0) return 'unknown';
  if (lines === 0) return 'no-code';
  if (ran === lines) return 'executed';
  return ran > 0 ? 'partial' : 'none';
}

/** Whether a process that can run the file reported what it runs. */
function isRecorded({ file, language }: ChangedFile, input: CoverageInput): boolean {
  if (language === 'other') return false;
  const { candidate, control } = input;
  const recorded = new Set([...candidate.recorders, ...control.recorders]);
  const isLoaded = [...candidate.points, ...control.points].some((point) => point.file === file);
  // What is compiled without source maps is never loaded itself, however often it runs.
  const needed = typed.test(file) ? 'typescript' : language;
  return isLoaded || input.servicesOf(file).some((service) => recorded.has(`${needed} ${service}`));
}

const typed = /\.(?:[cm]?tsx?|jsx)$/;

/** A changed line with code, and what of it did not run; null if all of it ran. */
interface JudgedLine {
  readonly missing: UnexecutedCode | null;
}

function judgeFile(file: ChangedFile, { candidate, control }: CoverageInput): JudgedLine[] {
  const after = sideOf(file, file.after, candidate, 'added');
  const before = sideOf(file, file.before, control, 'removed');
  return file.blocks.flatMap((block) => judgeBlock(block, before, after));
}

/** A replaced line counts once: its old version only where no new line of the block is missing. */
function judgeBlock(block: ChangedBlock, before: JudgeLine, after: JudgeLine): JudgedLine[] {
  const added = block.added.flatMap(after);
  if (added.some(({ missing }) => missing !== null)) return added;
  const removed = block.removed.flatMap(before);
  return [...added, ...removed.filter(({ missing }) => missing !== null || added.length === 0)];
}

/** Empty for a line without code. */
type JudgeLine = (line: number) => JudgedLine[];

function sideOf(
  { file }: ChangedFile,
  version: CodeVersion | null,
  records: CoverageRecords,
  change: UnexecutedCode['change'],
): JudgeLine {
  if (version === null) return () => [];
  const isOwn = (point: CodePoint): boolean => point.file === file;
  const points = records.points.filter(isOwn);
  const executed = records.executed.filter(isOwn);
  const texts = version.text.split('\n');
  const describe = (line: number, part: string | null, context: CodeContext | null) => ({
    file,
    line,
    end: line,
    change,
    text: (part ?? texts[line - 1] ?? '').trim(),
    isLoaded: points.length > 0,
    function: context?.function ?? null,
    route: context?.route ?? null,
    condition: context?.condition ?? null,
    request: context?.body ? requestIn(context.body, version, executed) : null,
  });
  if (points.length === 0) {
    return (line) => {
      const units = version.outline?.unitsOn(line);
      const isCode = units ? units.length > 0 : hasCode(texts[line - 1] ?? '');
      return isCode ? [{ missing: describe(line, null, units?.[0] ?? null) }] : [];
    };
  }
  const { outline } = version;
  if (outline === null) {
    const lines = new Set(points.map((point) => point.line));
    const executedLines = new Set(executed.map((point) => point.line));
    return (line) =>
      lines.has(line)
        ? [{ missing: executedLines.has(line) ? null : describe(line, null, null) }]
        : [];
  }
  const offsetOf = ({ line, column }: CodePoint): number => outline.offsetAt(line, column);
  const offsets = [...new Set(points.map(offsetOf))].sort((one, other) => one - other);
  const ran = new Set(executed.map(offsetOf));
  const firstIn = ({ start, end }: TextRange): number | undefined =>
    offsets.find((offset) => offset >= start && offset < end);
  return (line) => {
    const units = outline.unitsOn(line).flatMap((unit) => {
      const [first] = unit.ranges.flatMap((range) => firstIn(range) ?? []);
      return first === undefined ? [] : [{ unit, first, hasRun: ran.has(first) }];
    });
    if (units.length === 0) return [];
    const missing = units.find(({ hasRun }) => !hasRun);
    if (!missing) return [{ missing: null }];
    const isPart = units.some(({ hasRun }) => hasRun);
    const [range] = missing.unit.ranges;
    const part = isPart && range ? version.text.slice(range.start, range.end) : null;
    return [{ missing: describe(line, part?.split('\n')[0] ?? null, missing.unit) }];
  };
}

/** A request that ran something in the same function. */
function requestIn(
  { start, end }: TextRange,
  { outline }: CodeVersion,
  executed: readonly ExecutedPoint[],
): string | null {
  const isWithin = ({ line, column }: CodePoint): boolean => {
    const offset = outline?.offsetAt(line, column) ?? -1;
    return offset >= start && offset < end;
  };
  return executed.find((point) => point.request !== null && isWithin(point))?.request ?? null;
}

/** For a file that nobody loaded and that can't be parsed: neither blank, comment nor bracket. */
function hasCode(text: string): boolean {
  return !/^\s*(?:$|\/\/|#|\*|\/\*|import\b|["'`]{3}|[{}()[\];,]+\s*$)/.test(text);
}

function mergeAdjacent(lines: readonly UnexecutedCode[]): UnexecutedCode[] {
  const merged: UnexecutedCode[] = [];
  for (const one of lines) {
    const last = merged.at(-1);
    const isNext =
      last !== undefined &&
      last.file === one.file &&
      last.change === one.change &&
      last.end + 1 === one.line &&
      last.function === one.function;
    if (isNext) merged.splice(-1, 1, { ...last, end: one.line });
    else merged.push(one);
  }
  return merged;
}
