import type { Json } from '../../kernel/index.ts';
import { ExpressionMistake } from './expression.ts';
import {
  type Evaluate,
  type EvaluationFrame,
  fail,
  failed,
  makeNode,
  type Node,
  type SourcePosition,
  spend,
  stepsOfText,
} from './node.ts';
import { anyText, bool, double, isNumeric, isTime, type Kind, textLength } from './shape.ts';
import { nameOf, narrow } from './take.ts';

export type OrderOperator = '<' | '<=' | '>' | '>=';

/** Negative, zero or positive; NaN if the values have no order. */
export function order(
  from: SourcePosition,
  operator: OrderOperator,
  left: Node,
  right: Node,
): Node {
  const kind = kindOfOrder(operator, left, right, from.at);
  if (kind === 'string') return orderTexts(from, operator, left, right);
  if (kind === 'any') return orderAny(from, operator, left, right);
  const parts = isTime(kind) || kind === 'bool' ? [left, right] : [left, right].map(numeric);
  const [one, other] = parts.map((part) => narrowTo(part, kind, operator)) as [Node, Node];
  const steps = { steps: 1 };
  return makeNode(from, bool, [one, other], orderRun(operator, one, other), steps);
}

/** Compares an int with a double directly: JavaScript numbers represent both exactly. */
function numeric(node: Node): Node {
  return node.shape.kind === 'int' ? { ...node, shape: double } : node;
}

function narrowTo(node: Node, kind: Kind, operator: OrderOperator): Node {
  return narrow(node, { kind } as Node['shape'], operator);
}

function kindOfOrder(operator: OrderOperator, left: Node, right: Node, at: number): Kind {
  const [one, other] = [left.shape.kind, right.shape.kind];
  const known = one === 'any' ? other : one;
  const fits = one === other || (isNumeric(one) && isNumeric(other)) || hasAny(one, other);
  const kind = isNumeric(known) ? 'double' : known;
  if (fits && ordered.includes(kind)) return kind;
  throw new ExpressionMistake(
    `${operator} does not compare ${nameOf(one)} with ${nameOf(other)}`,
    at,
  );
}

const ordered: readonly Kind[] = ['double', 'string', 'bool', 'timestamp', 'duration', 'any'];

function hasAny(one: Kind, other: Kind): boolean {
  return one === 'any' || other === 'any';
}

/** One closure per operator and type, so that each only compares. */
function orderRun(operator: OrderOperator, left: Node, right: Node): Evaluate {
  if (typeof right.constant === 'number') return orderConstant(operator, left.run, right.constant);
  const [one, other] = [left.run, right.run];
  const answer = answers[operator];
  return (frame) => {
    const first = one(frame);
    const second = first === failed ? failed : other(frame);
    if (first === failed || second === failed) return failed;
    return answer(first as number, second as number);
  };
}

const answers: Readonly<Record<OrderOperator, (one: number, other: number) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
};

function orderConstant(operator: OrderOperator, run: Evaluate, constant: number): Evaluate {
  const runs: Readonly<Record<OrderOperator, Evaluate>> = {
    '<': (frame) => {
      const value = run(frame);
      return value === failed ? failed : (value as number) < constant;
    },
    '<=': (frame) => {
      const value = run(frame);
      return value === failed ? failed : (value as number) <= constant;
    },
    '>': (frame) => {
      const value = run(frame);
      return value === failed ? failed : (value as number) > constant;
    },
    '>=': (frame) => {
      const value = run(frame);
      return value === failed ? failed : (value as number) >= constant;
    },
  };
  return runs[operator];
}

function orderTexts(from: SourcePosition, operator: OrderOperator, left: Node, right: Node): Node {
  const [one, other] = [narrow(left, anyText, operator), narrow(right, anyText, operator)];
  const stepsBySize = stepsOfOrder(Math.min(textLength(one.shape), textLength(other.shape)));
  const run: Evaluate = (frame) => {
    const first = one.run(frame);
    const second = first === failed ? failed : other.run(frame);
    if (first === failed || second === failed) return failed;
    return answers[operator](compareTexts(first as string, second as string, frame), 0);
  };
  return makeNode(from, bool, [one, other], run, { stepsBySize });
}

const surrogate = /[\uD800-\uDFFF]/;

/** Compares by code points. JavaScript compares UTF-16 units, which differ beyond U+FFFF. */
function compareTexts(one: string, other: string, frame: EvaluationFrame): number {
  const length = Math.min(one.length, other.length);
  spend(frame, stepsOfText(length));
  if (one === other) return 0;
  if (!surrogate.test(one) && !surrogate.test(other)) return one < other ? -1 : 1;
  spend(frame, stepsOfOrder(length) - stepsOfText(length));
  return comparePoints(one, other);
}

/** Unit by unit, which is slower than native comparison. */
function stepsOfOrder(length: number): number {
  return Math.ceil(length / 2);
}

function comparePoints(one: string, other: string): number {
  for (let at = 0; at < one.length && at < other.length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Surrogates sort above all other units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function orderAny(from: SourcePosition, operator: OrderOperator, left: Node, right: Node): Node {
  const [one, other] = [left.run, right.run];
  const reason = `${operator} does not compare ${left.source} with ${right.source}`;
  const run: Evaluate = (frame) => {
    const first = one(frame);
    const second = first === failed ? failed : other(frame);
    if (first === failed || second === failed) return failed;
    const difference = compareAny(first, second, frame);
    return difference === undefined ? fail(frame, reason) : answers[operator](difference, 0);
  };
  return makeNode(from, bool, [left, right], run, { stepsBySize: Infinity });
}

function compareAny(one: Json, other: Json, frame: EvaluationFrame): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return compareNumbers(one, other);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other, frame);
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other);
  return undefined;
}

function compareNumbers(one: number, other: number): number {
  if (one === other) return 0;
  // NaN stays NaN: every comparison with it is false.
  return one < other ? -1 : one > other ? 1 : Number.NaN;
}
