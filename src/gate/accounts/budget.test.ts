import { describe, expect, test } from 'vitest';
import { gateLimits } from '../limits.ts';
import { checkAmount } from './amount.ts';
import { free, freeAt, release, reserve, settle, untouched } from './budget.ts';
import { budgetId, dimensionOf, perMsOf } from './budget-id.ts';

const at = 1_700_000_000_000;

describe('a budget', () => {
  test('reserves an amount before the call and settles it afterwards', () => {
    const reserved = reserve(untouched, 'money', 40);
    expect(free(reserved, 100, null, at)).toBe(60);
    const settled = settle(reserved, 'money', { reserved: 40, actual: 25 }, at);
    expect(settled).toEqual({ spent: 25, reserved: 0 });
    expect(free(settled, 100, null, at)).toBe(75);
    expect(free(release(reserved, 'money', 40), 100, null, at)).toBe(100);
  });

  test('records by how much it is overdrawn when the settlement exceeds the reservation', () => {
    const reserved = reserve(untouched, 'money', 40);
    const settled = settle(reserved, 'money', { reserved: 40, actual: 130 }, at);
    expect(free(settled, 100, null, at)).toBe(-30);
    expect(free(settled, 130, null, at)).toBe(0);
    expect(freeAt(settled, 100, null, 1, at)).toBeNull();
  });

  test('with a window counts open reservations, and counts spending from its settlement on', () => {
    const budget = budgetId('calls', 1_000);
    const reserved = reserve(untouched, budget, 3);
    expect(free(reserved, 10, 1_000, at + 50_000)).toBe(7);
    const settled = settle(reserved, budget, { reserved: 3, actual: 4 }, at + 50_000);
    expect(settled).toMatchObject({ spent: 0, reserved: 0 });
    expect(free(settled, 10, 1_000, at + 50_999)).toBe(6);
    expect(free(settled, 10, 1_000, at + 51_050)).toBe(10);
    expect(freeAt(settled, 10, 1_000, 7, at + 50_500)).toBe(at + 51_050);
    // What is reserved has no end that anybody knows.
    expect(freeAt(reserve(settled, budget, 9), 10, 1_000, 2, at + 50_500)).toBeNull();
  });

  test('refuses a second refund of the same reservation', () => {
    const reserved = reserve(untouched, 'money', 40);
    const once = settle(reserved, 'money', { reserved: 40, actual: 0 }, at);
    const twice = () => settle(once, 'money', { reserved: 40, actual: 0 }, at);
    expect(twice).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID' }));
    expect(() => release(once, 'money', 1)).toThrow('-1 is not a valid amount of money');
  });

  test('records an outcome at any cost and caps the sum at limits.amountMax', () => {
    const spent = settle(untouched, 'money', { reserved: 0, actual: gateLimits.amountMax }, at);
    const more = settle(spent, 'money', { reserved: 0, actual: gateLimits.amountMax }, at);
    expect(more.spent).toBe(gateLimits.amountMax);
    expect(free(more, gateLimits.amountMax, null, at)).toBe(0);
  });
});

describe('an amount', () => {
  test.each([0, 1, gateLimits.amountMax])('accepts %s', (amount) => {
    expect(checkAmount('money', amount)).toBe(amount);
    expect(reserve(untouched, 'money', amount).reserved).toBe(amount);
  });

  test.each([
    -1,
    -0.5,
    0.5,
    gateLimits.amountMax + 1,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    '5',
    null,
    [5],
  ])('rejects %s', (amount) => {
    const refused = expect.objectContaining({ code: 'AMOUNT_INVALID' });
    expect(() => reserve(untouched, 'money', amount as number)).toThrow(refused);
    const settlement = { reserved: 0, actual: amount as number };
    expect(() => settle(untouched, 'money', settlement, at)).toThrow(refused);
    expect(() => release(untouched, 'money', amount as number)).toThrow(refused);
  });

  test('cannot exceed the largest countable sum by adding reservations', () => {
    const full = reserve(untouched, 'money', gateLimits.amountMax);
    expect(() => reserve(full, 'money', 1)).toThrow(
      expect.objectContaining({ code: 'AMOUNT_INVALID' }),
    );
  });
});

test.each([
  ['money', null],
  ['calls', 60_000],
  ['a/b', 1],
  ['a/b', null],
])('formats the name of a budget of %s per %s with both', (dimension, perMs) => {
  const budget = budgetId(dimension, perMs);
  expect([dimensionOf(budget), perMsOf(budget)]).toEqual([dimension, perMs]);
});
