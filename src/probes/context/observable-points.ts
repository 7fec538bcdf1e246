import { childrenOf, part, parts, type Syntax } from '../expression/syntax.ts';
import { probeLimits } from '../limits.ts';
import type { Code } from '../placement/code.ts';
import { isFunction, type Position } from '../placement/outline.ts';

/** What can be observed at one line. A type: an instrumenter gives it for another process. */
export type ObservablePoint =
  | {
      readonly kind: 'function';
      readonly line: number;
      readonly function: string;
      readonly parameters: readonly string[];
    }
  | { readonly kind: 'branch'; readonly line: number; readonly text: string }
  | {
      readonly kind: 'value';
      /** Where the value is there: the next statement. */
      readonly line: number;
      readonly declaredLine: number;
      readonly expression: string;
      readonly isAnswer: boolean;
    };

export interface LineRange {
  readonly fromLine: number;
  readonly toLine: number;
}

/** Functions, branches and variables on these lines of the source, in the order of the code. */
export function observablePoints(code: Code, range: LineRange): readonly ObservablePoint[] {
  const lineOf = sourceLine(code);
  const isInside = (node: Syntax): boolean => {
    const line = lineOf(node);
    return line >= range.fromLine && line <= range.toLine;
  };
  const functions = code.outline.functions.flatMap((one) => {
    const [first] = one.body.type === 'BlockStatement' ? parts(one.body, 'body') : [];
    const last = (one.node.loc as { end: Position }).end.line;
    const touches = lineOf(one.node) <= range.toLine && lineAt(code, last) >= range.fromLine;
    if (first === undefined || !touches) return [];
    const { name, parameters } = one;
    const point = { kind: 'function', function: name || '(anonymous)', parameters } as const;
    return [{ ...point, line: lineOf(first) }];
  });
  const inner = [...nodesOf(code.outline.program)].filter(isInside);
  const branches = inner.flatMap((node) => branchPoint(node, code, lineOf));
  const values = [...nodesOf(code.outline.program)].flatMap((node) =>
    valuePoints(node, isInside, lineOf),
  );
  const all: ObservablePoint[] = [...functions, ...branches, ...values];
  return all.slice(0, probeLimits.probeContextPointsMax);
}

function* nodesOf(node: Syntax): Generator<Syntax> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

type LineOf = (node: Syntax) => number;

function sourceLine({ map }: Code): LineOf {
  return ({ loc }) => {
    const { line, column } = (loc as { start: Position }).start;
    return map?.original(line, column)?.line ?? (map ? 0 : line);
  };
}

/** The end of a node has no exact place in a map: its line is enough. */
function lineAt({ map }: Code, line: number): number {
  return map?.original(line, 0)?.line ?? line;
}

const branchTypes = /^(?:IfStatement|SwitchStatement|ConditionalExpression)$/;

function branchPoint(node: Syntax, { text }: Code, lineOf: LineOf): readonly ObservablePoint[] {
  if (!branchTypes.test(node.type)) return [];
  const test = part(node, node.type === 'SwitchStatement' ? 'discriminant' : 'test');
  const shown = text.slice(test.start, test.end).replace(/\s+/g, ' ').slice(0, 100);
  return [{ kind: 'branch', line: lineOf(node), text: shown }];
}

/** A variable is there once the statement that declares it has run. */
function valuePoints(
  block: Syntax,
  isInside: (node: Syntax) => boolean,
  lineOf: LineOf,
): readonly ObservablePoint[] {
  if (block.type !== 'BlockStatement') return [];
  const statements = parts(block, 'body');
  return statements.flatMap((statement, index) => {
    const next = statements[index + 1];
    if (next === undefined || isFunction(next) || !isInside(statement)) return [];
    if (statement.type !== 'VariableDeclaration') return [];
    return parts(statement, 'declarations').flatMap((one): readonly ObservablePoint[] => {
      const isAnswer = one.init ? isAwaited(part(one, 'init')) : false;
      const at = { line: lineOf(next), declaredLine: lineOf(statement), isAnswer };
      return namesIn(part(one, 'id')).map((expression) => ({ kind: 'value', expression, ...at }));
    });
  });
}

function isAwaited(node: Syntax): boolean {
  if (isFunction(node)) return false;
  return node.type === 'AwaitExpression' || childrenOf(node).some(isAwaited);
}

/** Plain names, also those that are taken out of an object. */
function namesIn(pattern: Syntax): readonly string[] {
  if (pattern.type === 'Identifier') return [String(pattern.name)];
  if (pattern.type !== 'ObjectPattern') return [];
  return parts(pattern, 'properties').flatMap((property) =>
    property.type === 'Property' ? namesIn(part(property, 'value')) : [],
  );
}
