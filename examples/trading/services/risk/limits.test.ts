import { expect, it } from 'vitest';
import { checkLimit } from './limits.ts';

it.each([
  ['BANK-1', 100_000_000, true],
  ['BANK-1', 100_000_000.01, false],
  ['BANK-2', 311_070_000, true],
  ['Müller & Söhne 株式会社', 1_000.01, false],
])('%s may trade %d at once: %s', (counterparty, amount, isWithin) => {
  expect(checkLimit({ counterparty, amount })).toMatchObject({ isWithin });
});
