import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { type ObservedSides, type ObservedValue, separate, supportMin } from './separation.ts';

const observed = (value: Json): ObservedValue => ({
  type: value === null ? 'null' : typeof value,
  value,
});
const sides = (failing: readonly Json[], healthy: readonly Json[]): ObservedSides => {
  const bad = failing.map(observed);
  return { live: bad, control: bad, controlAgain: bad, healthy: healthy.map(observed) };
};
const times = (count: number, value: Json): Json[] => new Array<Json>(count).fill(value);

describe('a predicate separates failing from healthy requests', () => {
  test.each([
    [
      'type',
      ['15,000.00', '9.00', '1.00', '2.00', '3.00'],
      [15_000, 9, 1, 2, 3],
      'typeof x is string',
    ],
    ['value', times(5, 100_000), times(5, 10_000), 'x is 100000'],
    ['value', times(5, null), [1, 2, 3, 4, 5].map((n) => [n]), 'typeof x is null'],
    ['order', [50, 51, 52, 53, 54, 55, 56, 57], [1, 2, 3, 4, 5, 6, 7, 8], 'x > 8'],
    [
      'pairs',
      [1, 2, 3, 4, 100],
      [2, 1, 4, 3, 101],
      'x is not what it is without the change, for the same request',
    ],
  ])('by %s', (_, failing, healthy, predicate) => {
    const found = separate('x', sides(failing as Json[], healthy as Json[]));
    expect(found?.predicate).toBe(predicate);
    expect(found?.failing.held).toBe(found?.failing.of);
    expect(found?.healthy.held).toBe(0);
  });
});

describe('nothing is separated', () => {
  test('with fewer values than supportMin on one side', () => {
    const values = (count: number) => separate('x', sides(times(count, 'a'), times(5, 1)));
    expect(values(supportMin)).not.toBeNull();
    expect(values(supportMin - 1)).toBeNull();
    expect(separate('x', sides(times(5, 'a'), times(supportMin - 1, 1)))).toBeNull();
  });

  test('if the running process never executed the line', () => {
    expect(separate('x', { ...sides(times(5, 'a'), times(5, 1)), live: [] })).toBeNull();
  });

  test('by one exception', () => {
    expect(separate('x', sides([...times(9, 'a'), 1], times(9, 1)))).toBeNull();
    expect(separate('x', sides(times(9, 'a'), [...times(9, 1), 'a']))).toBeNull();
  });

  test('if a fresh copy of the failing version has the value of the healthy one', () => {
    // Such as a port or an address: it belongs to the process, not to the change.
    const copy = times(9, 4_002).map(observed);
    const own = { ...sides(times(9, 4_001), times(9, 4_002)), control: copy, controlAgain: copy };
    expect(separate('port', own)).toBeNull();
  });

  test('by values that grow with time', () => {
    const from = (start: number) => Array.from({ length: 9 }, (_, i) => observed(start + i));
    const clock = {
      live: from(0),
      control: from(100),
      healthy: from(200),
      controlAgain: from(300),
    };
    expect(separate('now', clock)).toBeNull();
  });

  test('by values that are random each time', () => {
    const ids = (name: string) => Array.from({ length: 9 }, (_, i) => observed(`${name}-${i}`));
    const random = { live: ids('a'), control: ids('b'), healthy: ids('c'), controlAgain: ids('d') };
    expect(separate('id', random)).toBeNull();
  });

  test('if both versions compute the same', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 8, maxLength: 20 }), (values) => {
        expect(separate('x', sides(values as Json[], values as Json[]))).toBeNull();
      }),
    );
  });

  test('by chance, with numbers drawn from the same distribution', () => {
    const draw = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
      minLength: 9,
      maxLength: 9,
    });
    fc.assert(
      fc.property(draw, draw, draw, draw, (live, control, healthy, again) => {
        const [a, b, c, d] = [live, control, healthy, again].map((one) => one.map(observed));
        const drawn = { live: a ?? [], control: b ?? [], healthy: c ?? [], controlAgain: d ?? [] };
        const isMixed = new Set([...live, ...control, ...healthy, ...again]).size > 30;
        fc.pre(isMixed);
        expect(separate('x', drawn)).toBeNull();
      }),
    );
  });
});
