import { expect, test } from 'vitest';
import { visible, visibleLines } from './visible.ts';

test.each([
  ['plain', 'plain'],
  ['Grüße 😀', 'Grüße 😀'],
  ['a\u001b[2Kb', 'a\\u001b[2Kb'],
  ['one\ntwo', 'one\\u000atwo'],
  ['-\treturn 1', '-\treturn 1'],
  ['safe\u202eexe', 'safe\\u202eexe'],
  ['c1\u009b', 'c1\\u009b'],
])('%j is shown as %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('keeps line breaks and tabs in a text of several lines', () => {
  expect(visibleLines('one\n\ttwo\u001b[2J\r')).toBe('one\n\ttwo\\u001b[2J\\u000d');
});
