import { fault, redactText } from '../../kernel/index.ts';
import { childrenOf, type Syntax } from '../expression/syntax.ts';
import { probeLimits } from '../limits.ts';
import type { InstrumentPlan, Place } from '../port.ts';
import type { Code, CodeReader, Location, Point } from './code.ts';
import { type FunctionOutline, findFunctions, functionsAround, type Position } from './outline.ts';
import type { SourceMap } from './source-map.ts';

/** One exact place in the code that runs. */
export interface Site {
  readonly location: Location;
  /** The innermost function around it; nothing at the top of a file. */
  readonly around?: FunctionOutline;
}

/** Where the plan says, and nowhere else: a line without code is refused, not moved. */
export async function findSite(
  reader: CodeReader,
  code: Code,
  plan: InstrumentPlan,
): Promise<Site> {
  if (plan.function !== undefined) return siteOfFunction(reader, code, plan.function);
  return siteOfLine(reader, code, plan.line ?? 0);
}

export async function siteOfLine(reader: CodeReader, code: Code, line: number): Promise<Site> {
  const found = await locationsOfLine(reader, code, line);
  if (found.length === 0) throw refused(code, line, await explain(reader, code, line));
  const sites = found.map((location) => siteAt(code, location));
  // The top of a file has run when its process is up; a function on the same line has not.
  const inner = sites.filter(({ around }) => around !== undefined);
  const candidates = inner.length > 0 ? inner : sites;
  const statement = candidates.find(({ location }) => location.type === undefined);
  return (statement ?? candidates[0]) as Site;
}

/** The places on a line of the source where V8 can stop, in the order of the source. */
async function locationsOfLine(
  reader: CodeReader,
  code: Code,
  line: number,
): Promise<readonly Location[]> {
  const { script, map, source } = code;
  if (map === undefined || source === undefined) {
    if (line > script.lines) return [];
    const at = { lineNumber: line - 1, columnNumber: 0 };
    return reader.locations(script, at, { lineNumber: line, columnNumber: 0 });
  }
  const found: Location[] = [];
  for (const range of map.rangesOf(source, line)) {
    const from = { lineNumber: range.line - 1, columnNumber: range.from };
    const to = Number.isFinite(range.to)
      ? { lineNumber: range.line - 1, columnNumber: range.to }
      : { lineNumber: range.line, columnNumber: 0 };
    found.push(...(await reader.locations(script, from, to)));
    found.push(...(await returnsOf(reader, code, from, to)));
  }
  return found;
}

/** V8 stops at the end of a return, which minifiers leave to the brace of the next line. */
async function returnsOf(
  reader: CodeReader,
  code: Code,
  from: Point,
  to: Point,
): Promise<readonly Location[]> {
  const isInside = ({ line, column }: Position): boolean =>
    line - 1 === from.lineNumber &&
    column >= from.columnNumber &&
    (to.lineNumber > from.lineNumber || column < to.columnNumber);
  const found: Location[] = [];
  for (const { type, loc } of statementsOf(code.outline.program)) {
    const { start, end } = loc as { start: Position; end: Position };
    if (type !== 'ReturnStatement' || !isInside(start)) continue;
    const at = { lineNumber: end.line - 1, columnNumber: end.column };
    const until = { ...at, columnNumber: end.column + 1 };
    const ends = await reader.locations(code.script, at, until);
    found.push(...ends.filter((location) => location.type === 'return'));
  }
  return found;
}

function* statementsOf(node: Syntax): Generator<Syntax> {
  if (/Statement$/.test(node.type)) yield node;
  for (const child of childrenOf(node)) yield* statementsOf(child);
}

const linesSearched = 40;

async function explain(reader: CodeReader, code: Code, line: number): Promise<string> {
  if (code.map === undefined && line > code.script.lines)
    return `it has ${code.script.lines} lines`;
  for (let next = line + 1; next < line + linesSearched; next++) {
    if ((await locationsOfLine(reader, code, next)).length > 0) {
      return `the next statement begins on line ${next}`;
    }
  }
  return 'no statement begins there or below';
}

async function siteOfFunction(reader: CodeReader, code: Code, name: string): Promise<Site> {
  const around = findFunction(code, name);
  const [location] = await locationsIn(reader, code, around);
  if (location) return { location, around };
  throw fault('PROBE_FUNCTION_NOT_FOUND', {
    function: name,
    file: code.file,
    reason: 'it has no code',
  });
}

export function findFunction(code: Code, name: string): FunctionOutline {
  const found = findFunctions(code.outline, name);
  const [first] = found;
  if (first && found.length === 1) return first;
  const names = [...new Set(code.outline.functions.map((one) => one.name).filter(Boolean))];
  const reason = first
    ? `${found.length} functions have this name, on lines ${found.map(lineOf).join(', ')}`
    : `it has ${names.slice(0, 10).join(', ') || 'no named functions'}`;
  throw fault('PROBE_FUNCTION_NOT_FOUND', { function: name, file: code.file, reason });
}

function lineOf({ node }: FunctionOutline): number {
  return (node.loc as { start: Position }).start.line;
}

/** The places inside a function's own body, without those of functions in it. */
export async function locationsIn(
  reader: CodeReader,
  code: Code,
  { body, node }: FunctionOutline,
): Promise<readonly Location[]> {
  const { start, end } = body.loc as { start: Position; end: Position };
  const from = { lineNumber: start.line - 1, columnNumber: start.column };
  const to = { lineNumber: end.line - 1, columnNumber: end.column };
  const all = await reader.locations(code.script, from, to);
  return all.filter((location) => siteAt(code, location).around?.node === node);
}

export function siteAt(code: Code, location: Location): Site {
  const at = { line: location.lineNumber + 1, column: location.columnNumber };
  const around = functionsAround(code.outline, at).at(-1);
  return { location, ...(around ? { around } : {}) };
}

export function describePlace(code: Code, { location, around }: Site, plan: InstrumentPlan): Place {
  const { script, map, file, drift } = code;
  const { lineNumber, columnNumber } = location;
  const original = map?.original(lineNumber + 1, columnNumber);
  const generated = { file: script.path, line: lineNumber + 1, column: columnNumber + 1 };
  const at = { line: lineNumber + 1, column: columnNumber };
  const within = functionsAround(code.outline, at).flatMap((one) => namesOf(one, map));
  const text = code.text.split('\n')[lineNumber]?.slice(0, 10_000) ?? '';
  const shown = map ? text.slice(columnNumber, columnNumber + 200) : text.trim();
  return {
    file,
    line: plan.line ?? original?.line ?? lineNumber + 1,
    function: around?.name || (around ? '(anonymous)' : '(top level)'),
    ...(within.length > 1 ? { within } : {}),
    ...(map ? { generated } : {}),
    scriptHash: script.hash,
    text: redactText(shown).slice(0, probeLimits.probeStringCharsMax),
    ...(drift === undefined ? {} : { drift }),
  };
}

/** Its name in the code that runs, and the one in the source if a minifier has renamed it. */
function namesOf({ name, named }: FunctionOutline, map: SourceMap | undefined): readonly string[] {
  const shown = name || '(anonymous)';
  if (map === undefined || named === undefined) return [shown];
  const { line, column } = (named.loc as { start: Position }).start;
  const source = map.originalName(line, column);
  const isSame = source === undefined || name === source || name.endsWith(`.${source}`);
  return isSame ? [shown] : [shown, source];
}

/** In code that was made of another file, the rules about files and names would not hold. */
export function checkSource({ script, madeOf }: Code, { location }: Site): void {
  const line = location.lineNumber + 1;
  const source = madeOf?.original(line, location.columnNumber);
  if (source === undefined) return;
  const { file, line: sourceLine } = source;
  throw fault('PROBE_GENERATED', { file: script.path, line, source: `${file}:${sourceLine}` });
}

function refused({ file }: Code, line: number, reason: string): Error {
  return fault('PROBE_LINE_REFUSED', { file, line, reason });
}
