import { expect, test } from 'vitest';
import { lossWord } from './reach.ts';

test.each([
  ['silent', 'no call seen'],
  ['shared', 'maybe lost'],
  ['escaped', 'key lost'],
  ['timed', 'key lost'],
  ['late', 'key lost'],
  ['untagged', 'key lost'],
  ['recovered', 'key lost'],
] as const)('reports a key that was not passed on (%s) as: %s', (how, text) => {
  expect(lossWord(how).text).toBe(text);
});
