import { fault } from '../../kernel/index.ts';
import { checkExpression, isEvaluated, type ProbeExpression } from '../expression/check.ts';
import { type BindingScope, compileExpression } from '../expression/compile.ts';
import { childrenOf, part, parts, type Syntax } from '../expression/syntax.ts';
import type { InstrumentPlan } from '../port.ts';
import type { Code, CodeReader, Location } from './code.ts';
import { contains, type Position } from './outline.ts';
import { localsAt } from './scope.ts';
import { locationsIn, type Site, siteOfLine } from './site.ts';

/** A breakpoint that never pauses, with the condition that does its work. */
export type BreakPoint = { readonly location: Location; readonly condition: string };

/** What the agent is told about one probe. A type: it is sent as JSON. */
export type InstrumentSpec = {
  readonly id: number;
  readonly kind: InstrumentPlan['kind'];
  readonly hasCondition: boolean;
  readonly sampleRate: number;
  readonly hitsMax: number;
  readonly frames: number;
  readonly points: readonly BreakPoint[];
};

export interface Compiled {
  readonly spec: InstrumentSpec;
  /** What the values of a capture are, in their order. */
  readonly names: readonly ProbeExpression[];
}

export interface PointContext {
  readonly reader: CodeReader;
  readonly code: Code;
  readonly site: Site;
  readonly plan: InstrumentPlan;
  readonly agent: string;
  readonly id: number;
}

/** Of the stack, and of the local variables, what fits on a screen. */
const stackFrames = 8;
const shownLocals = 30;

/** Compiles a plan for one place in one process. */
export async function compilePoints(context: PointContext): Promise<Compiled> {
  const { plan, id } = context;
  const names = plan.kind === 'snapshot' ? withLocals(context) : namesOf(plan);
  const points = await pointsOf(context, names);
  const { kind, sampleRate, hitsMax } = plan;
  const isSimple = kind === 'log' || kind === 'snapshot';
  const frames = isSimple ? stackFrames : 0;
  // A pair of lines has its condition at the first one only.
  const hasCondition = plan.condition !== undefined && kind !== 'duration';
  return { spec: { id, kind, hasCondition, sampleRate, hitsMax, frames, points }, names };
}

/** The expressions of a capture, with that of the request last. */
function namesOf({ expressions, requestId }: InstrumentPlan): readonly ProbeExpression[] {
  return requestId ? [...expressions, requestId] : expressions;
}

/** A snapshot without expressions reads what is there: locals, arguments, closure and this. */
function withLocals(context: PointContext): readonly ProbeExpression[] {
  const { plan, site } = context;
  if (plan.expressions.length > 0) return namesOf(plan);
  const { locals } = scopeAt(context, site.location);
  // What is declared last is nearest.
  const hidden = new Set(['arguments', 'exports', 'require', 'module', '__filename', '__dirname']);
  const nearest = [...locals.keys()].filter((name) => !hidden.has(name)).reverse();
  const chosen = nearest.slice(0, shownLocals);
  const all = site.around ? [...chosen, 'this'] : chosen;
  return [...all.map((name) => checkExpression(name)), ...(plan.requestId ? [plan.requestId] : [])];
}

function scopeAt({ code, agent }: PointContext, location: Location): BindingScope {
  const at = { line: location.lineNumber + 1, column: location.columnNumber };
  const { map, script } = code;
  return { agent, locals: localsAt(code.outline, at, { map, isModule: script.isModule }) };
}

function pointsOf(
  context: PointContext,
  names: readonly ProbeExpression[],
): Promise<readonly BreakPoint[]> {
  const { plan, site } = context;
  if (plan.kind === 'branch') return branchPoints(context);
  if (plan.kind === 'duration') return durationPoints(context);
  return Promise.resolve([hitPoint(context, site.location, names)]);
}

function hitPoint(
  context: PointContext,
  location: Location,
  names: readonly ProbeExpression[],
  label = '""',
): BreakPoint {
  const { agent, id, plan } = context;
  const scope = scopeAt(context, location);
  const readers = names.map((name) => readerOf(name, scope));
  const hit = `${agent}.hit(${[id, label, ...readers].join(',')})`;
  return { location: trim(location), condition: `${conditionOf(plan, context, scope)}${hit}` };
}

/** A secret does not leave the process; its type does. */
function readerOf(name: ProbeExpression, scope: BindingScope): string {
  const compiled = isEvaluated(name) ? compileExpression(name, scope) : 'void 0';
  return `()=>${name.isSecret ? `${scope.agent}.hide(${compiled})` : wrapObject(compiled)}`;
}

/** An arrow function takes an object in parentheses only. */
function wrapObject(text: string): string {
  return text.startsWith('{') ? `(${text})` : text;
}

function conditionOf(
  { condition }: InstrumentPlan,
  { agent, id }: PointContext,
  scope: BindingScope,
): string {
  if (condition === undefined) return '';
  return `${agent}.when(${id},()=>${wrapObject(compileExpression(condition, scope))})&&`;
}

/** V8 takes only these fields of a location. */
function trim({ scriptId, lineNumber, columnNumber }: Location): Location {
  return { scriptId, lineNumber, columnNumber };
}

/** From the first statement of a function to its returns, or from one line to another. */
async function durationPoints(context: PointContext): Promise<readonly BreakPoint[]> {
  const { site, plan } = context;
  const first = site.location;
  const ends = plan.toLine === undefined ? await returnsOf(context) : [await secondSite(context)];
  const begin = spanPoint(context, first, 'begin');
  return [begin, ...ends.map((location) => spanPoint(context, location, 'finish'))];
}

async function returnsOf({ reader, code, site, plan }: PointContext): Promise<readonly Location[]> {
  if (site.around === undefined) throw noFunction(code, plan);
  const inside = await locationsIn(reader, code, site.around);
  const returns = inside.filter(({ type }) => type === 'return');
  if (returns.length > 0) return returns;
  throw noFunction(code, plan);
}

async function secondSite({ reader, code, site, plan }: PointContext): Promise<Location> {
  const second = await siteOfLine(reader, code, plan.toLine as number);
  if (second.around?.node === site.around?.node) return second.location;
  const reason = `it is in another function than line ${plan.line}`;
  throw fault('PROBE_LINE_REFUSED', { file: code.file, line: plan.toLine as number, reason });
}

function noFunction({ file }: Code, { line = 0 }: InstrumentPlan): Error {
  return fault('PROBE_LINE_REFUSED', { file, line, reason: 'it is in no function that returns' });
}

/** Calls are told apart by their arguments, which both ends know. */
function spanPoint(
  context: PointContext,
  location: Location,
  method: 'begin' | 'finish',
): BreakPoint {
  const { agent, id, plan, site } = context;
  // No parameter has the random name of the agent.
  const keys = `(${agent})=>${agent}(${site.around?.parameters.join(',') ?? ''})`;
  const isFirst = method === 'begin';
  const condition = isFirst ? conditionOf(plan, context, scopeAt(context, location)) : '';
  return { location: trim(location), condition: `${condition}${agent}.${method}(${id},${keys})` };
}

const branchTypes = /^(?:IfStatement|SwitchStatement|ConditionalExpression)$/;

/** One place in each way that the code can take at this line. */
async function branchPoints(context: PointContext): Promise<readonly BreakPoint[]> {
  const { code, site, plan } = context;
  const branch = findBranch(code, site.location);
  if (branch === undefined) {
    const reason = 'no if, switch or conditional expression begins there';
    throw fault('PROBE_LINE_REFUSED', { file: code.file, line: plan.line ?? 0, reason });
  }
  const ways = branch.type === 'ConditionalExpression' ? undefined : await waysOf(context, branch);
  if (ways !== undefined) {
    return ways.map(([label, location]) => hitPoint(context, location, [], JSON.stringify(label)));
  }
  return [testPoint(context, branch)];
}

function findBranch({ outline }: Code, { lineNumber }: Location): Syntax | undefined {
  const line = lineNumber + 1;
  const search = (node: Syntax): Syntax | undefined => {
    const begins = (node.loc as { start: Position } | undefined)?.start.line === line;
    if (begins && branchTypes.test(node.type)) return node;
    for (const child of childrenOf(node)) {
      const { start, end } = child.loc as { start: Position; end: Position };
      const found = start.line <= line && end.line >= line ? search(child) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  return search(outline.program);
}

type Way = readonly [label: string, location: Location];

/** Nothing if a way has no statement of its own. */
async function waysOf(context: PointContext, branch: Syntax): Promise<readonly Way[] | undefined> {
  if (branch.type === 'SwitchStatement') {
    const cases = parts(branch, 'cases').filter((one) => parts(one, 'consequent').length > 0);
    const ways = cases.map((one) =>
      firstWay(context, labelOf(context, one), parts(one, 'consequent')[0]),
    );
    return whole(await Promise.all(ways));
  }
  if (!branch.alternate) return undefined;
  return whole(
    await Promise.all([
      firstWay(context, 'true', part(branch, 'consequent')),
      firstWay(context, 'false', part(branch, 'alternate')),
    ]),
  );
}

function whole(ways: readonly (Way | undefined)[]): readonly Way[] | undefined {
  return ways.includes(undefined) ? undefined : (ways as readonly Way[]);
}

function labelOf({ code }: PointContext, one: Syntax): string {
  const test = one.test as Syntax | null;
  return test ? `case ${code.text.slice(test.start, test.end).slice(0, 60)}` : 'default';
}

async function firstWay(
  context: PointContext,
  label: string,
  node?: Syntax,
): Promise<Way | undefined> {
  if (node === undefined) return undefined;
  const { start, end } = node.loc as { start: Position; end: Position };
  const from = { lineNumber: start.line - 1, columnNumber: start.column };
  const to = { lineNumber: end.line - 1, columnNumber: end.column };
  const found = await context.reader.locations(context.code.script, from, to);
  const [first] = found.filter(({ lineNumber, columnNumber }) =>
    contains(node, { line: lineNumber + 1, column: columnNumber }),
  );
  return first ? [label, first] : undefined;
}

/** Without statements to count, the test itself is read, if reading it changes nothing. */
function testPoint(context: PointContext, branch: Syntax): BreakPoint {
  const { code, site } = context;
  const isSwitch = branch.type === 'SwitchStatement';
  const test = part(branch, isSwitch ? 'discriminant' : 'test');
  const expression = checkExpression(code.text.slice(test.start, test.end));
  // The text is of the code that runs, so its names need no translation.
  const own = scopeAt(context, site.location);
  const locals = new Map([...own.locals.values()].map((name) => [name, name]));
  const compiled = compileExpression(expression, { ...own, locals });
  return hitPoint(context, site.location, [], `()=>(${compiled})?"true":"false"`);
}
