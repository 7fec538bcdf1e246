import type { Json } from '../../kernel/index.ts';
import { ExpressionMistake } from './expression.ts';
import {
  constantNode,
  type Evaluate,
  type EvaluationFrame,
  fail,
  failed,
  makeNode,
  type Node,
  type SourcePosition,
} from './node.ts';
import {
  any,
  double,
  duration,
  holdsTime,
  int,
  type Kind,
  text,
  timestamp,
  type ValueShape,
} from './shape.ts';
import { nameOf } from './take.ts';
import {
  durationMs,
  durationText,
  parseDuration,
  parseTimestamp,
  timestampMs,
  timestampText,
} from './time-text.ts';

type Convert = (value: Json, frame: EvaluationFrame) => Json | undefined;

/** Converters by the known type of the operand. For an unknown type, the value decides. */
interface Conversion {
  readonly shape: ValueShape;
  readonly from: Partial<Readonly<Record<Kind, Convert>>>;
  readonly steps: number;
}

const asIs: Convert = (value) => value;
const safe = (value: number): number | undefined =>
  Number.isSafeInteger(value) ? value + 0 : undefined;

function parseInteger(value: string): number | undefined {
  return /^[-+]?\d{1,20}$/.test(value) ? safe(Number(value)) : undefined;
}

const decimal = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

function parseDouble(value: string): number | undefined {
  return value.length <= numberChars && decimal.test(value) ? Number(value) : undefined;
}

/** No number or time has a longer text, so a longer one is refused unread. */
const numberChars = 32;

export const conversions: Readonly<Record<string, Conversion>> = {
  int: {
    shape: int,
    steps: 10,
    from: {
      int: asIs,
      double: (value) => safe(Math.trunc(value as number)),
      string: (value) => parseInteger(value as string),
      timestamp: (value) => Math.floor((value as number) / 1_000),
      duration: (value) => Math.trunc((value as number) / 1_000) + 0,
    },
  },
  double: {
    shape: double,
    steps: 10,
    from: { int: asIs, double: asIs, string: (value) => parseDouble(value as string) },
  },
  string: {
    shape: text(numberChars),
    steps: 10,
    from: {
      bool: String,
      int: String,
      double: String,
      string: asIs,
      timestamp: (value) => timestampText(value as number),
      duration: (value) => durationText(value as number),
    },
  },
  timestamp: {
    shape: timestamp,
    steps: 40,
    from: {
      timestamp: asIs,
      string: (value) => parseTimestamp(value as string),
      int: (value) => timestampMs((value as number) * 1_000),
    },
  },
  duration: {
    shape: duration,
    steps: 40,
    from: {
      duration: asIs,
      string: (value) => parseDuration(value as string),
      int: (value) => durationMs((value as number) * 1_000),
    },
  },
};

export function convert(from: SourcePosition, name: string, operand: Node): Node {
  const { shape, from: ways, steps } = conversions[name] as Conversion;
  const { kind } = operand.shape;
  const way = kind === 'any' ? anyWay(ways) : ways[kind];
  if (!way) throw new ExpressionMistake(`${name}() does not take ${nameOf(kind)}`, operand.at);
  if (operand.constant !== undefined) return convertNow(from, name, operand, way);
  const reason = `${operand.source} is not ${nameOf(shape.kind)}`;
  const { run } = operand;
  const converted: Evaluate = (frame) => {
    const value = run(frame);
    if (value === failed) return failed;
    return way(value, frame) ?? fail(frame, reason);
  };
  const result = kind === 'string' && name === 'string' ? operand.shape : anyLength(shape, kind);
  return makeNode(from, result, [operand], converted, { steps });
}

/** string() of an unknown value may return a text of any length. */
function anyLength(shape: ValueShape, from: Kind): ValueShape {
  return shape.kind === 'string' && from === 'any' ? text(Number.POSITIVE_INFINITY) : shape;
}

function anyWay(ways: Conversion['from']): Convert {
  return (value, frame) => {
    if (typeof value === 'string') return ways.string?.(value, frame);
    if (typeof value === 'boolean') return ways.bool?.(value, frame);
    if (typeof value !== 'number') return undefined;
    const way = Number.isSafeInteger(value) ? ways.int : ways.double;
    // The zero may be an int without a sign: 1.0 / double(-n) is +Infinity for n = 0.
    return way?.(value + 0, frame);
  };
}

/** Converts a literal once, at load, where a wrong one is a mistake. */
function convertNow(from: SourcePosition, name: string, operand: Node, way: Convert): Node {
  const { shape } = conversions[name] as Conversion;
  const value = way(operand.constant as Json, undefined as never);
  if (value !== undefined) {
    return constantNode(from, typeof value === 'string' ? text(value.length) : shape, value);
  }
  const isFine = shape.kind === 'timestamp' || shape.kind === 'duration';
  throw new ExpressionMistake(
    `${JSON.stringify(operand.constant)} is not ${nameOf(shape.kind)}${isFine ? ' of whole milliseconds' : ''}`,
    operand.at,
  );
}

/** dyn(): forgets the known type, so that the value is checked at run time. */
export function forget(from: SourcePosition, operand: Node): Node {
  if (holdsTime(operand.shape)) throw new ExpressionMistake('dyn() does not take times', from.at);
  const { constant: _, ...rest } = operand;
  return { ...rest, shape: any };
}
