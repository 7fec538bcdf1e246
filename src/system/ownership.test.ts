import { expect, test } from 'vitest';
import { isWithin } from './ownership.ts';

test.each<[string, boolean]>([
  ['tests/guard', true],
  ['./tests/guard/', true],
  ['/tests/guard', true],
  ['tests//./guard', true],
  ['tests/unit/../guard', true],
  ['tests/guard/*', true],
  ['tests/**', true],
  ['tests/guard/money.ts', true],
  ['.', true],
  ['*', true],
  ['tests/gu', false],
  ['guard', false],
  ['../tests/guard', false],
])('a file of tests/guard is within %s: %s', (path, expected) => {
  expect(isWithin('tests/guard/money.ts', path)).toBe(expected);
});
