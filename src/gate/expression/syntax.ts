import { createRequire } from 'node:module';
import { type Json, lazy } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { ExpressionMistake } from './expression.ts';

type Cel = typeof import('@bufbuild/cel');
type Parsed = ReturnType<Cel['parse']>;
type Expr = Parsed['expr'];
type SourceInfo = NonNullable<Parsed['sourceInfo']>;
type Comprehension = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value'];

/** An expression as it was written, macros included. */
export type SyntaxTree = { readonly at: number } & (
  | { readonly is: 'literal'; readonly kind: LiteralKind; readonly value: Json }
  | { readonly is: 'name'; readonly name: string }
  | {
      readonly is: 'select';
      readonly of: SyntaxTree;
      readonly field: string;
      readonly test: boolean;
    }
  | { readonly is: 'list'; readonly items: readonly SyntaxTree[] }
  | { readonly is: 'map'; readonly entries: readonly (readonly [SyntaxTree, SyntaxTree])[] }
  | CallSyntax
  | MacroSyntax
);

export type LiteralKind = 'bool' | 'int' | 'double' | 'string' | 'null';

export interface CallSyntax {
  readonly is: 'call';
  readonly at: number;
  readonly name: string;
  /** For a method, the receiver comes first. */
  readonly items: readonly SyntaxTree[];
  readonly isMethod: boolean;
}

export interface MacroSyntax {
  readonly is: 'macro';
  readonly at: number;
  readonly name: string;
  readonly range: SyntaxTree;
  readonly variable: string;
  /** The condition of a `map` with three parts. */
  readonly when?: SyntaxTree;
  readonly body: SyntaxTree;
}

const require = createRequire(import.meta.url);
/** Loaded on demand: it is a quarter of all modules, and many policies have no expression. */
const cel = lazy((): Cel => require('@bufbuild/cel'));

export function readSyntax(text: string): SyntaxTree {
  if (text.length > gateLimits.expressionCharsMax) {
    throw new ExpressionMistake(
      `it is longer than ${gateLimits.expressionCharsMax} characters: split it into several rules`,
      gateLimits.expressionCharsMax,
    );
  }
  const { expr, sourceInfo } = parseText(text);
  return new Reader(text, sourceInfo).read(expr, 0);
}

function parseText(text: string): { expr: Expr; sourceInfo: SourceInfo } {
  try {
    const { expr, sourceInfo } = cel().parse(text);
    return { expr, sourceInfo: sourceInfo as SourceInfo };
  } catch (error) {
    // The parser is recursive. A text that overflows its stack is far beyond our limit.
    if (error instanceof RangeError) throw tooDeep(0);
    throw syntaxMistake(text, error as ParseError);
  }
}

/** As `@bufbuild/cel` throws it. */
interface ParseError extends Error {
  readonly location?: { readonly start: { readonly offset: number } };
}

function syntaxMistake(text: string, error: ParseError): ExpressionMistake {
  const offset = skipSpace(text, error.location?.start.offset ?? 0);
  if (text.trim() === '') return new ExpressionMistake('it is empty', 0);
  const rest = text.slice(offset, offset + 20);
  return new ExpressionMistake(
    rest ? `this is not CEL from here on: ${rest}` : 'it ends too early',
    offset,
  );
}

function tooDeep(offset: number): ExpressionMistake {
  return new ExpressionMistake(
    `it is nested more than ${gateLimits.expressionDepthMax} levels deep`,
    offset,
  );
}

/** The parser includes the space before an operator in its position. */
function skipSpace(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && /\s/.test(text[at] as string)) at += 1;
  return at;
}

class Reader {
  readonly #text: string;
  readonly #info: SourceInfo;

  constructor(text: string, info: SourceInfo) {
    this.#text = text;
    this.#info = info;
  }

  read(expr: Expr, depth: number): SyntaxTree {
    const at = skipSpace(this.#text, this.#info.positions[String(expr.id)] ?? 0);
    if (depth > gateLimits.expressionDepthMax) throw tooDeep(at);
    const { exprKind } = expr;
    switch (exprKind.case) {
      case 'constExpr':
        return readLiteral(exprKind.value.constantKind, at);
      case 'identExpr':
        return { is: 'name', at, name: exprKind.value.name };
      case 'selectExpr':
        return {
          is: 'select',
          at,
          of: this.read(exprKind.value.operand as Expr, depth + 1),
          field: exprKind.value.field,
          test: exprKind.value.testOnly,
        };
      case 'callExpr':
        return this.#readCall(exprKind.value, at, depth);
      case 'listExpr':
        return {
          is: 'list',
          at,
          items: exprKind.value.elements.map((item) => this.read(item, depth + 1)),
        };
      case 'structExpr':
        return this.#readMap(exprKind.value, at, depth);
      case 'comprehensionExpr':
        return this.#readMacro(expr, exprKind.value, { at, depth });
      default:
        throw new ExpressionMistake('this is not part of the language', at);
    }
  }

  #readCall(
    { function: name, target, args }: Extract<Expr['exprKind'], { case: 'callExpr' }>['value'],
    at: number,
    depth: number,
  ): SyntaxTree {
    const chain = name === '_&&_' || name === '_||_' ? flatten(name, args) : args;
    const items = [...(target ? [target] : []), ...chain];
    return {
      is: 'call',
      at,
      name,
      items: items.map((item) => this.read(item, depth + 1)),
      isMethod: target !== undefined,
    };
  }

  #readMap(
    { messageName, entries }: Extract<Expr['exprKind'], { case: 'structExpr' }>['value'],
    at: number,
    depth: number,
  ): SyntaxTree {
    if (messageName) throw new ExpressionMistake(`there is no type ${messageName}`, at);
    return {
      is: 'map',
      at,
      entries: entries.map(({ keyKind, value }) => [
        this.read(keyKind.value as Expr, depth + 1),
        this.read(value as Expr, depth + 1),
      ]),
    };
  }

  /** The parser expands macros to loops; this finds the parts that the author wrote. */
  #readMacro(
    { id }: Expr,
    loop: Comprehension,
    { at, depth }: { readonly at: number; readonly depth: number },
  ): SyntaxTree {
    const call = this.#info.macroCalls[String(id)]?.exprKind;
    const name = call?.case === 'callExpr' ? call.value.function : '';
    const steps = callItems(loop.loopStep);
    const read = (expr: Expr | undefined): SyntaxTree => this.read(expr as Expr, depth + 1);
    const parts = { is: 'macro', at, range: read(loop.iterRange), variable: loop.iterVar } as const;
    switch (name) {
      case 'all':
      case 'exists':
        return { ...parts, name, body: read(steps[1]) };
      case 'exists_one':
      case 'existsOne':
        return { ...parts, name: 'exists_one', body: read(steps[0]) };
      case 'filter':
        return { ...parts, name, body: read(steps[0]) };
      case 'map':
        return steps.length === 3
          ? { ...parts, name, when: read(steps[0]), body: read(appended(steps[1])) }
          : { ...parts, name, body: read(appended(loop.loopStep)) };
      default:
        throw new ExpressionMistake(`there is no macro ${name}`, at);
    }
  }
}

/** `a && b && c` becomes one node with three parts, whatever the nesting. */
function flatten(name: string, args: readonly Expr[]): Expr[] {
  const found: Expr[] = [];
  const rest = [...args].reverse();
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { exprKind } = next;
    if (exprKind.case === 'callExpr' && exprKind.value.function === name) {
      rest.push(...[...exprKind.value.args].reverse());
    } else {
      found.push(next);
    }
  }
  return found;
}

function callItems(expr: Expr | undefined): readonly Expr[] {
  return expr?.exprKind.case === 'callExpr' ? expr.exprKind.value.args : [];
}

/** The item of `result + [item]`. */
function appended(expr: Expr | undefined): Expr | undefined {
  const list = callItems(expr)[1]?.exprKind;
  return list?.case === 'listExpr' ? list.value.elements[0] : undefined;
}

type Constant = Extract<Expr['exprKind'], { case: 'constExpr' }>['value']['constantKind'];

function readLiteral(constant: Constant, at: number): SyntaxTree {
  switch (constant.case) {
    case 'nullValue':
      return { is: 'literal', at, kind: 'null', value: null };
    case 'boolValue':
      return { is: 'literal', at, kind: 'bool', value: constant.value };
    case 'doubleValue':
      return { is: 'literal', at, kind: 'double', value: constant.value };
    case 'stringValue':
      return { is: 'literal', at, kind: 'string', value: constant.value };
    case 'int64Value': {
      const value = Number(constant.value);
      if (Number.isSafeInteger(value)) return { is: 'literal', at, kind: 'int', value };
      throw new ExpressionMistake('an int has at most 53 bits, as in JSON', at);
    }
    case 'uint64Value':
      throw new ExpressionMistake('there are no unsigned ints: leave the u away', at);
    default:
      throw new ExpressionMistake('there are no bytes: write a text', at);
  }
}
