import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

test.each([
  ['stroe', ['store', 'url'], 'store'],
  ['URL', ['store', 'url'], 'url'],
  ['something', ['store', 'url'], undefined],
  ['id', ['to', 'by', 'at'], undefined],
])('the nearest word to %s among %j is %s', (word, known, expected) => {
  expect(nearest(word, known)).toBe(expected);
});

test('no word is near to a very long one', () => {
  expect(nearest('x'.repeat(1_000_000), ['xx'])).toBeUndefined();
});
