import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tryOr } from '../../kernel/index.ts';
import type { Lane } from '../api-schema.ts';
import type { Trees, VersionTree } from '../change/trees.ts';

/** Lines that candidates watch, by file from the top of the repository. */
export type WatchedLines = Readonly<Record<string, readonly number[]>>;

/** A place in a file where code begins: line from 1, column from 0. */
export interface CodePoint {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The first time that a point ran, and the request that it ran for, if it was for one. */
export interface ExecutedPoint extends CodePoint {
  readonly request: string | null;
  readonly traceId: string | null;
}

/** What the processes of a lane recorded about the lines that they watch. */
export interface CoverageRecords {
  /** The processes that recorded, as `node orders`. */
  readonly recorders: ReadonlySet<string>;
  /** The watched points of files that were loaded. */
  readonly points: readonly CodePoint[];
  readonly executed: readonly ExecutedPoint[];
}

/** The variables that make a candidate record coverage into the directory of its lane. */
export function watchLines(
  directory: string,
  watched: WatchedLines,
  { top }: Pick<VersionTree, 'top'>,
): Record<string, string> {
  // Node knows a file by its real path.
  const real = realpathSync(top);
  const lines = Object.entries(watched).map(([file, own]) => [join(real, file), own]);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, 'lines.json'), JSON.stringify(Object.fromEntries(lines)));
  return { SURETY_COVERAGE: pathToFileURL(directory).href };
}

/** Candidates stop recording within a moment: from then on it costs nothing. */
export function stopWatching(directory: string): void {
  if (!existsSync(directory)) return;
  // Only a new file: a candidate may have made a link in its place.
  tryOr(() => writeFileSync(join(directory, 'done'), '', { flag: 'wx' }), undefined);
}

/** What the candidates of a lane recorded about the lines that they watch; they stop recording. */
export function takeRecords(
  { lane }: Pick<Lane, 'lane'>,
  trees: Pick<Trees, 'coverageOf' | 'topOf'>,
): CoverageRecords {
  stopWatching(trees.coverageOf(lane));
  return readCoverage(trees.coverageOf(lane), trees.topOf(lane));
}

/** The same, while they go on recording. */
export function peekRecords(
  { lane }: Pick<Lane, 'lane'>,
  trees: Pick<Trees, 'coverageOf' | 'topOf'>,
): CoverageRecords {
  return readCoverage(trees.coverageOf(lane), trees.topOf(lane));
}

export function readCoverage(directory: string, top: string): CoverageRecords {
  const real = existsSync(top) ? realpathSync(top) : top;
  const files = existsSync(directory) ? readdirSync(directory) : [];
  const records = files
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => ({
      service: file.split('.').slice(0, -3).join('.'),
      lines: readLines(join(directory, file)),
    }));
  const all = records.flatMap(({ lines }) => lines);
  const pointAt = (file: string, [line = 0, column = 0]: readonly number[]): CodePoint => ({
    file: relative(real, file),
    line,
    column,
  });
  return {
    recorders: new Set(
      records.flatMap(({ service, lines }) =>
        lines.flatMap(({ started }) => (started === undefined ? [] : `${started} ${service}`)),
      ),
    ),
    points: all.flatMap(({ loaded, points = [] }) =>
      loaded === undefined ? [] : points.map((point) => pointAt(loaded, point)),
    ),
    executed: all.flatMap(({ ran, point = [], request = null, trace: traceId = null }) =>
      ran === undefined ? [] : [{ ...pointAt(ran, point), request, traceId }],
    ),
  };
}

interface RecordLine {
  /** The language of the process; also `typescript`, once it has loaded code by its sources. */
  readonly started?: string;
  readonly loaded?: string;
  readonly points?: readonly (readonly number[])[];
  readonly ran?: string;
  readonly point?: readonly number[];
  readonly request?: string;
  readonly trace?: string;
}

const recordBytesMax = 8 * 1024 * 1024;

/** A process that was killed may have left half a line; a candidate could write anything. */
function readLines(path: string): RecordLine[] {
  const lines = tryOr(() => readPlainFile(path), '').split('\n');
  const records = lines.map((line) => tryOr((): unknown => JSON.parse(line), null));
  return records.filter(isRecord);
}

/** Neither a link, which could lead anywhere, nor a pipe, which nobody may ever write to. */
function readPlainFile(path: string): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    const isPlain = stat.isFile() && stat.size <= recordBytesMax;
    return isPlain ? readFileSync(descriptor, 'utf8') : '';
  } finally {
    closeSync(descriptor);
  }
}

function isRecord(value: unknown): value is RecordLine {
  if (typeof value !== 'object' || value === null) return false;
  const { started, loaded, points, ran, point, request, trace } = value as Record<string, unknown>;
  const isText = (one: unknown): boolean => one === undefined || typeof one === 'string';
  const isPoint = (one: unknown): boolean =>
    Array.isArray(one) && one.length === 2 && one.every(Number.isSafeInteger);
  return (
    [started, loaded, ran, request, trace].every(isText) &&
    (points === undefined || (Array.isArray(points) && points.every(isPoint))) &&
    (point === undefined || isPoint(point))
  );
}
