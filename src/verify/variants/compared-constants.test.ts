import { expect, test } from 'vitest';
import { comparedConstants } from './compared-constants.ts';

test.each([
  ['a number', ['if (order.amount >= 10_000) flag();'], 10_000],
  ['a number before it', ['if (2.5 < request?.amount) flag();'], 2.5],
  ['a constant of another file', ['amount > HIGH_VALUE', 'export const HIGH_VALUE = 500;'], 500],
  ['a typed constant', ['if amount >= LIMIT:', 'LIMIT: int = 40\n'], 40],
  ['a decimal in quotes', ['amount < LEAST', 'LEAST = Decimal("0.50")\n'], 0.5],
  [
    'a member of settings',
    ['amount > limits.daily', 'const limits = { daily: 900, hourly: 3 };'],
    900,
  ],
  ['a Go constant', ['if order.Amount > maxAmount {', 'const maxAmount = 77\n'], 77],
])('finds %s that a field is compared with', (_, files, value) => {
  expect(comparedConstants(files).get('amount')).toEqual([value]);
});

test('finds nothing where two fields, or two constants, are compared', () => {
  const code = ['const A = 1;\nconst B = 2;\nif (amount < total || A < B || x => 5) go();'];
  expect([...comparedConstants(code)]).toEqual([]);
});
