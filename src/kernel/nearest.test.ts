import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

test.each([
  ['stroe', ['store', 'url'], 'store'],
  ['URL', ['store', 'url'], 'url'],
  ['something', ['store', 'url'], undefined],
])('the nearest to %s among %j is %s', (word, known, expected) => {
  expect(nearest(word, known)).toBe(expected);
});

test('nothing is near to a word that nobody could have meant', () => {
  expect(nearest('x'.repeat(1_000_000), ['xx'])).toBeUndefined();
});
