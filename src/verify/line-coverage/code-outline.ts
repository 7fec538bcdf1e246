import { type Node, parse, type Token } from 'acorn';
import { tryOr } from '../../kernel/index.ts';
import { stripTypes } from './strip-types.ts';

/** Part of a text, by offsets. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Why and where code runs that is not at the top of its file. */
export interface CodeContext {
  /** The name of the nearest function with one that contains it; null without one. */
  readonly function: string | null;
  /** `POST /orders`, if the code is an argument of a call that looks like a route. */
  readonly route: string | null;
  /** The nearest condition that it depends on: `if (amount > 10000)`. */
  readonly condition: string | null;
  /** The body of the function that contains it. */
  readonly body: TextRange | null;
}

/** Code that runs as one: the innermost range first, then those that contain it. */
export interface ExecutionUnit extends CodeContext {
  readonly ranges: readonly TextRange[];
}

/** Which code stands on each line of a file. */
export interface CodeOutline {
  /** Two versions with the same key differ only in comments, types and white space. */
  readonly key: string;
  unitsOn(line: number): readonly ExecutionUnit[];
  /** Line and column of an offset, and back; lines begin with 1, columns with 0. */
  lineAt(offset: number): number;
  offsetAt(line: number, column: number): number;
}

type Syntax = Node & Readonly<Record<string, unknown>>;

/**
 * Pure. Null for text that is not JavaScript after its types are removed, such as JSX, and for code
 * that is nested too deeply to be walked.
 */
export function outlineOf(file: string, text: string): CodeOutline | null {
  const tokens: Token[] = [];
  const program = parseCode(file, text, tokens);
  const places = program && tryOr(() => collectUnits(program, text), null);
  if (places === null) return null;
  const starts = lineStarts(text);
  const lineAt = (offset: number): number => countUpTo(starts, offset);
  const byLine = Map.groupBy(
    tokens.filter((token) => !isInert(token)),
    ({ start }) => lineAt(start),
  );
  return {
    key: tokens.map(keyOf).join(' '),
    unitsOn: (line) => {
      const units = (byLine.get(line) ?? []).map(({ start }) => places.unitAt(start));
      return [...new Map(units.flatMap((unit) => (unit ? [[unit.ranges[0], unit]] : []))).values()];
    },
    lineAt,
    offsetAt: (line, column) => (starts[line - 1] ?? text.length) + column,
  };
}

/** Positions stay the same: types become blanks. */
function parseCode(file: string, text: string, tokens: Token[]): Syntax | null {
  const code = /\.[cm]?ts$/.test(file) ? stripTypes(text) : text;
  if (code === null) return null;
  return parseAs('module', code, tokens) ?? parseAs('script', code, tokens);
}

function parseAs(sourceType: 'module' | 'script', code: string, tokens: Token[]): Syntax | null {
  tokens.length = 0;
  try {
    return parse(code, {
      ecmaVersion: 'latest',
      sourceType,
      allowHashBang: true,
      allowReturnOutsideFunction: true,
      onToken: tokens,
    }) as Node as Syntax;
  } catch {
    return null;
  }
}

/** Acorn's types do not say that a token has a value. */
function keyOf(token: Token & { readonly value?: unknown }): string {
  return JSON.stringify([token.type.label, String(token.value)]);
}

/** Tokens that do nothing by themselves. */
const inert: ReadonlySet<string> = new Set('{ } ( ) [ ] ; , : else try finally do eof'.split(' '));

const isInert = ({ type }: Token): boolean => inert.has(type.label);

interface Place extends TextRange {
  /** Null for code that runs no statement: imports, names of classes and functions. */
  readonly unit: ExecutionUnit | null;
}

/** Finds the innermost place of an offset. A file may have a hundred thousand of both. */
class Places {
  /** Where another place becomes the innermost one, and its unit. */
  readonly #starts: number[] = [];
  readonly #units: (ExecutionUnit | null)[] = [];

  /** Each is within another one or beside it; of two with one range the later one is within. */
  constructor(places: readonly Place[]) {
    const open: Place[] = [];
    for (const place of places.toSorted(
      (one, other) => one.start - other.start || other.end - one.end,
    )) {
      this.#close(open, place.start);
      open.push(place);
      this.#begin(place.start, place);
    }
    this.#close(open, Number.POSITIVE_INFINITY);
  }

  #close(open: Place[], offset: number): void {
    for (let last = open.at(-1); last && last.end <= offset; last = open.at(-1)) {
      open.pop();
      this.#begin(last.end, open.at(-1));
    }
  }

  #begin(offset: number, place: Place | undefined): void {
    this.#starts.push(offset);
    this.#units.push(place?.unit ?? null);
  }

  unitAt(offset: number): ExecutionUnit | null {
    return this.#units[countUpTo(this.#starts, offset) - 1] ?? null;
  }
}

const top: CodeContext = { function: null, route: null, condition: null, body: null };

function collectUnits(program: Syntax, text: string): Places {
  const places: Place[] = [];
  const visit = (node: Syntax, context: CodeContext, around: readonly TextRange[]): void => {
    const { unit, inner, isApart } = readNode(node, context);
    const own = { ...context, ...inner };
    const chain = unit ? [unit] : [];
    const { start, end } = node;
    if (unit !== undefined) places.push({ start, end, unit: unit && { ...own, ranges: chain } });
    const below = isApart ? [] : unit ? chain : around;
    for (const [child, place] of childrenOf(node)) {
      const isArm = isArmOf(node, place);
      const arm = isArm ? [rangeOf(child), ...below] : below;
      const within = contextOf(node, place, child, own, text);
      if (isArm) places.push({ ...rangeOf(child), unit: { ...within, ranges: arm } });
      visit(child, within, arm);
    }
  };
  visit(program, top, []);
  return new Places(places);
}

const rangeOf = ({ start, end }: Node): TextRange => ({ start, end });

/** Parts of an expression that may be left out. */
function isArmOf({ type }: Node, place: string): boolean {
  if (type === 'LogicalExpression') return place === 'right';
  return type === 'ConditionalExpression' && place !== 'test';
}

interface ReadNode {
  /** The code that runs when this does; null for none, undefined if the node is no place. */
  readonly unit?: TextRange | null;
  readonly inner?: Partial<CodeContext>;
  /** What is within it does not run together with what is around it. */
  readonly isApart?: boolean;
}

function readNode(node: Syntax, context: CodeContext): ReadNode {
  const { type } = node;
  if (/^(?:Import|ExportAll|ExportNamed|ExportDefault)Declaration$/.test(type))
    return { unit: null };
  if (/^Class(?:Declaration|Expression)$/.test(type)) return { unit: null, isApart: true };
  if (type === 'PropertyDefinition') {
    return { unit: node.value ? rangeOf(node.value as Syntax) : null, isApart: true };
  }
  if (isFunction(node)) {
    const body = rangeOf(node.body as Syntax);
    const name = nameOf(node) ?? context.function;
    const inner = { function: name, body, condition: null };
    return { unit: firstOf(node.body as Syntax), inner, isApart: true };
  }
  if (type === 'SwitchCase' || type === 'CatchClause') return { unit: firstOf(node) };
  if (type === 'BlockStatement' || type === 'EmptyStatement') return {};
  return /(?:Statement|^VariableDeclaration)$/.test(type) ? { unit: rangeOf(node) } : {};
}

function isFunction({ type }: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);
}

/** The first statement of a body or a case; an expression is one. */
function firstOf(node: Syntax): TextRange | null {
  if (node.type === 'CatchClause') return firstOf(node.body as Syntax);
  const list = (node.consequent ?? node.body) as Syntax[] | Syntax | undefined;
  if (!Array.isArray(list)) return rangeOf(node);
  const [first] = list;
  return first ? rangeOf(first) : null;
}

/** A property, variable or method names the function that it holds. */
function nameOf(node: Syntax): string | undefined {
  return (node.id as { name?: string } | null)?.name ?? named.get(node);
}

const named = new WeakMap<Node, string>();

/** What code in one place of a node depends on. */
function contextOf(
  node: Syntax,
  place: string,
  child: Syntax,
  context: CodeContext,
  text: string,
): CodeContext {
  const key = (node.key ?? node.id) as { name?: string; value?: unknown } | undefined;
  if (isFunction(child) && (place === 'value' || place === 'init')) {
    const name = key?.name ?? (key?.value === undefined ? undefined : String(key.value));
    if (name !== undefined) named.set(child, name);
  }
  const route = node.type === 'CallExpression' && place === 'arguments' ? routeOf(node) : null;
  if (route !== null) return { ...context, route };
  const condition = conditionOf(node, place, text);
  return condition === null ? context : { ...context, condition };
}

/** `app.post('/orders', …)`. */
function routeOf({ callee, arguments: given }: Syntax): string | null {
  const method = ((callee as Syntax).property as { name?: string } | undefined)?.name ?? '';
  const [path] = given as { value?: unknown }[];
  const isPath = typeof path?.value === 'string' && path.value.startsWith('/');
  const isRoute = /^(?:get|post|put|patch|delete|all|use|on|route)$/.test(method);
  return isPath && isRoute ? `${method.toUpperCase()} ${String(path.value)}` : null;
}

const conditionCharsMax = 80;

function conditionOf(node: Syntax, place: string, text: string): string | null {
  const write = (before: string, one: unknown, after = ''): string | null => {
    const { start, end } = one as Node;
    const source = text.slice(start, end).replace(/\s+/g, ' ');
    const cut =
      source.length > conditionCharsMax ? `${source.slice(0, conditionCharsMax)}…` : source;
    return `${before}${cut}${after}`;
  };
  if (node.type === 'IfStatement' && place === 'consequent') return write('if (', node.test, ')');
  if (node.type === 'IfStatement' && place === 'alternate')
    return write('else of if (', node.test, ')');
  if (node.type === 'WhileStatement' && place === 'body') return write('while (', node.test, ')');
  if (node.type === 'ForOfStatement' && place === 'body')
    return write('for (… of ', node.right, ')');
  if (node.type === 'SwitchCase' && place === 'consequent')
    return node.test ? write('case ', node.test) : 'default';
  return node.type === 'TryStatement' && place === 'handler' ? 'catch' : null;
}

function* childrenOf(node: Syntax): Generator<[Syntax, string]> {
  for (const [place, value] of Object.entries(node)) {
    // The variable of a loop over a list runs with its body.
    if (/^For(?:Of|In)Statement$/.test(node.type) && place === 'left') continue;
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) yield [one, place];
  }
}

function isNode(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** How many of these ascending numbers are not above a limit. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}
