import { expect, test } from 'vitest';
import { type Difference, isValue } from './difference.ts';

test.each([
  ['value-changed', true],
  ['emptied', true],
  ['field-missing', false],
  ['type-changed', false],
])('%s counts as a value, which needs three rounds: %s', (what, expected) => {
  expect(isValue({ what } as Difference)).toBe(expected);
});
