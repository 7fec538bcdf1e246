import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import {
  compileExpression,
  ExpressionFailure,
  ExpressionMistake,
  type ValueShape,
} from './index.ts';

const any: ValueShape = { kind: 'any' };
const unknown = { a: any, b: any };

const evaluate = (text: string, values: Record<string, Json>): Json =>
  compileExpression(text, unknown).evaluate(values);

const tooManySteps = `more than ${gateLimits.expressionStepsMax} steps`;

describe('keys with a meaning in JavaScript are plain keys', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])('%s', (key) => {
    expect(evaluate(`has(a.${key})`, { a: {} })).toBe(false);
    expect(evaluate(`"${key}" in a`, { a: {} })).toBe(false);
    expect(() => evaluate(`a.${key} == 1`, { a: {} })).toThrow(`no field "${key}"`);
    expect(() => evaluate('a[b] == 1', { a: {}, b: key })).toThrow(ExpressionFailure);
    const own = JSON.parse(`{"${key}": 1}`) as Json;
    expect(evaluate(`a.${key} == 1 && "${key}" in a`, { a: own })).toBe(true);
    expect(evaluate('a[b]', { a: own, b: key })).toBe(1);
    const open: ValueShape = { kind: 'object', fields: {}, open: any };
    const known = compileExpression('a[b]', { a: open, b: { kind: 'string' } });
    expect(() => known.evaluate({ a: {}, b: key })).toThrow('has no key');
    expect(known.evaluate({ a: own, b: key })).toBe(1);
    const made = evaluate(`{"${key}": {"x": 1}}`, {}) as Record<string, Json>;
    expect(Object.keys(made)).toEqual([key]);
    expect(evaluate(`{"${key}": 2}.${key}`, {})).toBe(2);
  });

  test('as names of variables and declared fields', () => {
    expect(() => compileExpression('constructor', {})).toThrow('no variable "constructor"');
    expect(() => compileExpression('a.toString', { a: { kind: 'object', fields: {} } })).toThrow(
      'no field "toString"',
    );
    const scope = { valueOf: any };
    expect(() => compileExpression('valueOf == 1', scope).evaluate({})).toThrow('is not there');
  });

  test('as indexes of lists', () => {
    expect(() => evaluate('a[b]', { a: [1], b: 'length' })).toThrow(ExpressionFailure);
    expect(() => evaluate('a.length', { a: [1] })).toThrow('is not an object');
    expect(() => evaluate('a[b]', { a: [1], b: 0.5 })).toThrow(ExpressionFailure);
  });
});

describe('malformed Unicode strings', () => {
  const lone = '\uD83D';

  test('are compared, counted and joined unchanged', () => {
    expect(evaluate('a == b', { a: lone, b: lone })).toBe(true);
    expect(evaluate('size(a)', { a: `${lone}x${lone}` })).toBe(3);
    expect(evaluate('size(a + b)', { a: lone, b: '\uDE00' })).toBe(1);
    expect(evaluate('a < b', { a: lone, b: 'z' })).toBe(false);
    expect(evaluate('a.lowerAscii()', { a: `A${lone}` })).toBe(`a${lone}`);
    expect(evaluate('a.matches("^.x$")', { a: `${lone}x` })).toBe(true);
  });
});

describe('patterns', () => {
  // Backtracking takes seconds for each of these.
  test.each([
    ['(a+)+$', `${'a'.repeat(28)}!`],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(29)],
    ['(x+x+)+y', 'x'.repeat(29)],
    ['(a|aa)+$', `${'a'.repeat(28)}!`],
  ])('%s matches 29 characters without backtracking', (pattern, text) => {
    expect(text).toHaveLength(29);
    expect(evaluate(`a.matches(${JSON.stringify(pattern)})`, { a: text })).toBe(false);
  });

  test('cost steps in proportion to the length of the text', () => {
    const expression = compileExpression('a.matches("(a+)+$")', unknown);
    expect(expression.evaluate({ a: 'a'.repeat(1_000) })).toBe(true);
    expect(() => expression.evaluate({ a: 'a'.repeat(100_000) })).toThrow(tooManySteps);
  });

  test('are limited to limits.expressionPatternInstructionsMax', () => {
    const size = gateLimits.expressionPatternInstructionsMax - 2;
    const short: Record<string, ValueShape> = { a: { kind: 'string', lengthMax: 8 } };
    const match = (count: number) => compileExpression(`a.matches("a{${count}}")`, short);
    expect(match(size).evaluate({ a: 'aa' })).toBe(false);
    expect(() => match(size + 1)).toThrow('the pattern is too large');
    expect(() => match(1_001)).toThrow('no pattern of RE2');
  });
});

describe('expressionCharsMax and expressionDepthMax', () => {
  test('limit the length of an expression', () => {
    const text = (length: number): string => `"${'x'.repeat(length - 2)}"`;
    expect(gateLimits.expressionCharsMax).toBe(4_096);
    expect(evaluate(text(gateLimits.expressionCharsMax), {})).toHaveLength(4_094);
    expect(() => evaluate(text(gateLimits.expressionCharsMax + 1), {})).toThrow('characters');
  });

  test('limit the nesting of its parts', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(() => evaluate(nested(gateLimits.expressionDepthMax), {})).not.toThrow();
    expect(() => evaluate(nested(gateLimits.expressionDepthMax + 1), {})).toThrow('levels deep');
    expect(() => evaluate(`${'('.repeat(2_000)}1${')'.repeat(2_000)}`, {})).toThrow(
      ExpressionMistake,
    );
  });

  test('do not count a chain of operators as nesting', () => {
    const chain = Array.from({ length: 200 }, (_, index) => `a != ${index}`).join(' && ');
    expect(evaluate(chain, { a: -1 })).toBe(true);
    expect(evaluate(chain, { a: 199 })).toBe(false);
  });
});

/** An operation whose cost grows with one size, and a value of that size. */
interface Growing {
  readonly text: string;
  readonly shape: (size: number) => ValueShape;
  readonly value: (size: number) => Json;
}

const letters = (lengthMax: number): ValueShape => ({ kind: 'string', lengthMax });
const ints = (lengthMax: number): ValueShape => ({
  kind: 'list',
  items: { kind: 'int' },
  lengthMax,
});
const many = (size: number): number[] => Array.from({ length: size }, () => 1);

const growing: Readonly<Record<string, Growing>> = {
  all: { text: 'a.all(x, x > 0)', shape: ints, value: many },
  exists: { text: 'a.exists(x, x > 1 && x / 0 == 1)', shape: ints, value: many },
  'all in all': { text: 'a.all(x, a.all(y, x == y))', shape: ints, value: many },
  map: { text: 'a.map(x, [x, x]).size() > 0', shape: ints, value: many },
  filter: { text: 'a.filter(x, x > 0).exists_one(x, x > 5)', shape: ints, value: many },
  'a sum of lists': { text: 'a + a + a == a', shape: ints, value: many },
  in: { text: '2 in a', shape: ints, value: many },
  'equality of lists': { text: 'a == a', shape: ints, value: many },
  'equality of texts': { text: 'a == a', shape: letters, value: (size) => 'x'.repeat(size) },
  order: { text: 'a < a + "x"', shape: letters, value: (size) => '😀'.repeat(size / 2) },
  'a sum of texts': { text: 'a + a + a != ""', shape: letters, value: (size) => 'x'.repeat(size) },
  size: { text: 'size(a) > 1', shape: letters, value: (size) => '😀'.repeat(size / 2) },
  contains: { text: 'a.contains("xxy")', shape: letters, value: (size) => 'x'.repeat(size) },
  startsWith: { text: 'a.startsWith(a)', shape: letters, value: (size) => 'x'.repeat(size) },
  lowerAscii: { text: 'a.lowerAscii() == "b"', shape: letters, value: (size) => 'X'.repeat(size) },
  matches: { text: 'a.matches("^x*y")', shape: letters, value: (size) => 'x'.repeat(size) },
  within: { text: 'a.within("/x")', shape: letters, value: (size) => '/'.repeat(size) },
  normalPath: {
    text: 'a.normalPath() == "/x"',
    shape: letters,
    value: (size) => '/'.repeat(size),
  },
};

describe.each(Object.entries(growing))(
  'limits.expressionStepsMax for %s',
  (_, { text, shape, value }) => {
    const tries = (size: number) => {
      try {
        return compileExpression(text, { a: shape(size) });
      } catch (error) {
        if (error instanceof ExpressionMistake && /steps/.test(error.message)) return undefined;
        throw error;
      }
    };
    const largest = lastWhere(2_000_000, (size) => tries(size) !== undefined);

    test('accepts the largest shape and rejects the next larger one', () => {
      expect(largest).toBeGreaterThan(20);
      expect(tries(largest)?.stepsMax).toBeLessThanOrEqual(gateLimits.expressionStepsMax);
      expect(() => compileExpression(text, { a: shape(largest + 1) })).toThrow(
        `more than ${gateLimits.expressionStepsMax}`,
      );
    });

    test('lets the largest value pass and stops far larger ones', () => {
      expect(typeof tries(largest)?.evaluate({ a: value(largest) })).toBe('boolean');
      const open = compileExpression(text, unknown);
      expect(open.stepsMax).toBe(gateLimits.expressionStepsMax);
      expect(() => open.evaluate({ a: value(largest * 10 + 1_000) })).toThrow(tooManySteps);
    });
  },
);

/** The last number for which it holds, by halving. */
function lastWhere(max: number, holds: (size: number) => boolean): number {
  let [low, high] = [0, max];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

describe('the step counter', () => {
  test('still stops an expression whose other part decides', () => {
    const large = { a: many(gateLimits.expressionStepsMax) };
    expect(() => evaluate('a.all(x, x > 0) || true', large)).toThrow(tooManySteps);
    expect(evaluate('true || a.all(x, x > 0)', large)).toBe(true);
  });

  test('starts again for each evaluation', () => {
    const expression = compileExpression('a.all(x, true)', unknown);
    const most = many(gateLimits.expressionStepsMax - 2);
    for (let round = 0; round < 3; round += 1) expect(expression.evaluate({ a: most })).toBe(true);
    expect(() => expression.evaluate({ a: [...most, 1] })).toThrow(tooManySteps);
    expect(expression.evaluate({ a: most })).toBe(true);
  });

  test('stops nested loops over large lists even if every item fails', () => {
    const items = many(100_000);
    expect(() => evaluate('a.all(x, a.all(y, a.all(z, true)))', { a: items })).toThrow(
      tooManySteps,
    );
    expect(() => evaluate('a.exists(x, x.none == 1)', { a: items })).toThrow(tooManySteps);
  });

  test('stops deeply nested values before the stack overflows', () => {
    let deep: Json = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const copy = [deep];
    expect(() => evaluate('a == b', { a: [deep], b: copy })).toThrow(tooManySteps);
    expect(() => evaluate('a in b', { a: deep, b: [deep] })).toThrow(tooManySteps);
  });

  test('bounds the memory that an expression allocates', () => {
    const doubled = `[a + a]${'.map(x, x + x)'.repeat(20)}[0]`;
    expect(() => evaluate(doubled, { a: 'x'.repeat(100) })).toThrow(tooManySteps);
    expect(() => evaluate(doubled, { a: many(10) })).toThrow(tooManySteps);
  });

  test('rejects nested loops at load when schemas allow too many items', () => {
    const scope = { a: ints(1_000) };
    expect(() => compileExpression('a.all(x, a.all(y, x <= y))', scope)).toThrow('maxItems');
    expect(() => compileExpression('a.all(x, x > 0)', scope)).not.toThrow();
  });
});
