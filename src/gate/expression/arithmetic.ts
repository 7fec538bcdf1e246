import type { Json } from '../../kernel/index.ts';
import { ExpressionMistake } from './expression.ts';
import {
  type EvaluationFrame,
  fail,
  failed,
  makeNode,
  type Node,
  type Result,
  type SourcePosition,
  spend,
  stepsOfText,
} from './node.ts';
import {
  any,
  anyList,
  anyText,
  double,
  duration,
  int,
  isNumeric,
  isTime,
  joinShapes,
  type ListShape,
  listOf,
  text,
  textLength,
  timestamp,
  type ValueShape,
} from './shape.ts';
import { nameOf, narrow } from './take.ts';
import { durationMs, timestampMs } from './time-text.ts';

export type Sign = '+' | '-' | '*' | '/' | '%';

type Operation = (one: number, other: number, frame: EvaluationFrame) => number | typeof failed;

export function arithmetic(from: SourcePosition, sign: Sign, left: Node, right: Node): Node {
  const [one, other] = [left.shape.kind, right.shape.kind];
  if (isTime(one) || isTime(other)) return timeArithmetic(from, sign, left, right);
  const kind = one === 'any' ? other : one;
  const fits = one === other || one === 'any' || other === 'any';
  if (fits && sign === '+' && kind === 'string') return joinTexts(from, left, right);
  if (fits && sign === '+' && kind === 'list') return joinLists(from, left, right);
  if (fits && kind === 'int') return operate(from, int, intOperations[sign], [left, right]);
  if (fits && kind === 'double' && sign !== '%') {
    return operate(from, double, doubleOperations[sign], [left, right]);
  }
  if (fits && kind === 'any') return anyArithmetic(from, sign, left, right);
  throw mismatch(from, sign, left, right);
}

function mismatch({ at }: SourcePosition, sign: Sign, left: Node, right: Node): ExpressionMistake {
  const [one, other] = [left.shape.kind, right.shape.kind];
  const isMixed = isNumeric(one) && isNumeric(other) && one !== other;
  const hint = isMixed ? `: write double(${(one === 'int' ? left : right).source})` : '';
  return new ExpressionMistake(
    `${sign} does not take ${nameOf(one)} and ${nameOf(other)}${hint}`,
    at,
  );
}

function operate(
  from: SourcePosition,
  shape: ValueShape,
  operation: Operation,
  operands: readonly [Node, Node],
): Node {
  const [left, right] = operands.map((operand) => narrow(operand, shape, from.source)) as [
    Node,
    Node,
  ];
  return makeNode(from, shape, [left, right], bothRun(left, right, operation));
}

function bothRun(left: Node, right: Node, operation: Operation): Node['run'] {
  const [one, other] = [left.run, right.run];
  return (frame) => {
    const first = one(frame);
    const second = first === failed ? failed : other(frame);
    if (first === failed || second === failed) return failed;
    return operation(first as number, second as number, frame);
  };
}

/** Fails beyond the safe integers instead of rounding silently. Never returns -0. */
function exact(value: number, frame: EvaluationFrame): number | typeof failed {
  return Number.isSafeInteger(value) ? value + 0 : tooLarge(frame);
}

function tooLarge(frame: EvaluationFrame): typeof failed {
  return fail(frame, 'an int has more than 53 bits');
}

const intOperations: Readonly<Record<Sign, Operation>> = {
  '+': (one, other, frame) => exact(one + other, frame),
  '-': (one, other, frame) => exact(one - other, frame),
  '*': (one, other, frame) => exact(one * other, frame),
  // Safe integers are too close together for their quotient to round up to the next integer.
  '/': (one, other, frame) =>
    other === 0 ? fail(frame, 'an int is divided by zero') : exact(Math.trunc(one / other), frame),
  '%': (one, other, frame) =>
    other === 0 ? fail(frame, 'an int is divided by zero') : exact(one % other, frame),
};

const doubleOperations: Readonly<Record<Exclude<Sign, '%'>, Operation>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
};

/** Both types are unknown. Where the type changes the result, the author has to convert. */
function anyArithmetic(from: SourcePosition, sign: Sign, left: Node, right: Node): Node {
  if (sign === '/') {
    throw new ExpressionMistake(
      `/ differs for ints and doubles: write int(${left.source}) or double(${left.source})`,
      from.at,
    );
  }
  if (sign === '%') return operate(from, int, intOperations[sign], [left, right]);
  const reason = `${sign} does not take ${left.source} and ${right.source} as they are`;
  const [one, other] = [left.run, right.run];
  const run = (frame: EvaluationFrame): Result => {
    const first = one(frame);
    const second = first === failed ? failed : other(frame);
    if (first === failed || second === failed) return failed;
    return anyOperation(sign, first, second, frame) ?? fail(frame, reason);
  };
  return makeNode(from, any, [left, right], run, sign === '+' ? { stepsBySize: Infinity } : {});
}

function anyOperation(
  sign: '+' | '-' | '*',
  one: Json,
  other: Json,
  frame: EvaluationFrame,
): Exclude<Result, null> | undefined {
  if (typeof one === 'number' && typeof other === 'number') return numbers(sign, one, other, frame);
  if (sign !== '+') return undefined;
  if (typeof one === 'string' && typeof other === 'string') return joinedText(one, other, frame);
  if (Array.isArray(one) && Array.isArray(other)) return joinedList(one, other, frame);
  return undefined;
}

function numbers(
  sign: '+' | '-' | '*',
  one: number,
  other: number,
  frame: EvaluationFrame,
): number | typeof failed {
  const areInts = Number.isSafeInteger(one) && Number.isSafeInteger(other);
  // As doubles they keep -0, the only difference to integers here.
  const value = doubleOperations[sign](one, other, frame) as number;
  return areInts && !Number.isSafeInteger(value) ? tooLarge(frame) : value;
}

export function negate(from: SourcePosition, operand: Node): Node {
  const { kind } = operand.shape;
  if (kind !== 'int' && kind !== 'double' && kind !== 'any') {
    throw new ExpressionMistake(`- does not take ${nameOf(kind)}`, from.at);
  }
  const shape = kind === 'int' ? int : kind === 'double' ? double : any;
  const number = kind === 'any' ? narrow(operand, double, '-') : operand;
  const { run } = number;
  return makeNode(from, shape, [number], (frame) => {
    const value = run(frame);
    if (value === failed) return failed;
    return kind === 'int' ? 0 - (value as number) : -(value as number);
  });
}

interface TimeRule {
  readonly shape: ValueShape;
  readonly operation: Operation;
}

const asTimestamp = (ms: number, frame: EvaluationFrame): number | typeof failed =>
  timestampMs(ms) ?? fail(frame, 'a timestamp lies outside of the years 1 to 9999');
const asDuration = (ms: number, frame: EvaluationFrame): number | typeof failed =>
  durationMs(ms) ?? fail(frame, 'a duration is longer than 292 years');

const plus: TimeRule = {
  shape: timestamp,
  operation: (one, other, frame) => asTimestamp(one + other, frame),
};

const timeRules: Readonly<Record<string, TimeRule>> = {
  'timestamp + duration': plus,
  'duration + timestamp': plus,
  'timestamp - duration': {
    shape: timestamp,
    operation: (one, other, frame) => asTimestamp(one - other, frame),
  },
  'timestamp - timestamp': {
    shape: duration,
    operation: (one, other, frame) => asDuration(one - other, frame),
  },
  'duration + duration': {
    shape: duration,
    operation: (one, other, frame) => asDuration(one + other, frame),
  },
  'duration - duration': {
    shape: duration,
    operation: (one, other, frame) => asDuration(one - other, frame),
  },
};

function timeArithmetic(from: SourcePosition, sign: Sign, left: Node, right: Node): Node {
  const rule = timeRules[`${left.shape.kind} ${sign} ${right.shape.kind}`];
  if (!rule) throw mismatch(from, sign, left, right);
  return makeNode(from, rule.shape, [left, right], bothRun(left, right, rule.operation));
}

/**
 * Counts the memory of a concatenation as steps, because repeated concatenation doubles quickly.
 */
function joinedText(one: string, other: string, frame: EvaluationFrame): string {
  spend(frame, stepsOfText(one.length + other.length));
  return one + other;
}

function joinedList(
  one: readonly Json[],
  other: readonly Json[],
  frame: EvaluationFrame,
): readonly Json[] {
  spend(frame, stepsOfCopy(one.length + other.length));
  return one.concat(other);
}

function stepsOfCopy(items: number): number {
  return Math.ceil(items / 8);
}

function joinTexts(from: SourcePosition, left: Node, right: Node): Node {
  const one = narrow(left, anyText, '+');
  const other = narrow(right, anyText, '+');
  const length = textLength(one.shape) + textLength(other.shape);
  const run: Node['run'] = (frame) => {
    const first = one.run(frame);
    const second = first === failed ? failed : other.run(frame);
    if (first === failed || second === failed) return failed;
    return joinedText(first as string, second as string, frame);
  };
  const stepsBySize = stepsOfText(length);
  return makeNode(from, text(length), [one, other], run, { stepsBySize });
}

function joinLists(from: SourcePosition, left: Node, right: Node): Node {
  const one = narrow(left, anyList, '+');
  const other = narrow(right, anyList, '+');
  const shape = shapeOfJoined(one.shape as ListShape, other.shape as ListShape, from.at);
  const run: Node['run'] = (frame) => {
    const first = one.run(frame);
    const second = first === failed ? failed : other.run(frame);
    if (first === failed || second === failed) return failed;
    return joinedList(first as readonly Json[], second as readonly Json[], frame);
  };
  const stepsBySize = stepsOfCopy(shape.lengthMax ?? Infinity);
  return makeNode(from, shape, [one, other], run, { stepsBySize });
}

function shapeOfJoined(one: ListShape, other: ListShape, at: number): ListShape {
  const joined = joinShapes(one, other);
  if (joined?.kind !== 'list') {
    throw new ExpressionMistake('+ does not join times with other values', at);
  }
  // If one length is unbounded, so is the sum, and a loop over it is refused.
  if (one.lengthMax === undefined || other.lengthMax === undefined) return listOf(joined.items);
  return listOf(joined.items, one.lengthMax + other.lengthMax);
}
