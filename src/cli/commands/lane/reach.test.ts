import { expect, test } from 'vitest';
import { lossWord } from './reach.ts';

test.each([
  ['silent', 'no call seen'],
  ['escaped', 'key lost'],
  ['timed', 'key lost'],
  ['late', 'key lost'],
  ['untagged', 'key lost'],
  ['recovered', 'key lost'],
] as const)('a key that did not go on, %s, is called: %s', (how, text) => {
  expect(lossWord(how).text).toBe(text);
});
