import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';
import { coversPattern, matcherOf, matchesPattern, narrow } from './patterns.ts';

test.each<[string, string, boolean]>([
  ['order.get', 'order.get', true],
  ['order.get', 'order.gets', false],
  ['order.*', 'order.get', true],
  ['order.*', 'order', false],
  ['*', '', true],
  ['*.get', 'order.get', true],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'acb', false],
  ['ab*ba', 'aba', false],
  ['order/*', 'order/../secret', true],
  ['a.c', 'abc', false],
])('whether %s matches %s: %s', (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

const letters = array(constantFrom('a', 'b', '.', '*'), { maxLength: 8 }).map((all) =>
  all.join(''),
);
const texts = array(constantFrom('a', 'b', '.'), { maxLength: 8 }).map((all) => all.join(''));

test('a pattern matches like the equivalent regular expression', () => {
  assert(
    property(letters, texts, (pattern, text) => {
      const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*');
      expect(matchesPattern(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
    }),
  );
});

test('a covering pattern matches everything that the covered one does', () => {
  assert(
    property(letters, letters, texts, (general, specific, text) => {
      if (!coversPattern(general, specific) || !matchesPattern(specific, text)) return;
      expect(matchesPattern(general, text)).toBe(true);
    }),
  );
});

test('narrowing allows exactly what both lists allow', () => {
  const lists = array(letters, { maxLength: 3 });
  assert(
    property(lists, lists, texts, (wide, narrower, text) => {
      const { patterns } = narrow(wide, narrower);
      const inBoth = matcherOf(wide)(text) && matcherOf(narrower)(text);
      if (matcherOf(patterns)(text)) expect(inBoth).toBe(true);
    }),
  );
});

test.each<[string[], string[], string[], string[]]>([
  [['order/*'], ['order/1*'], ['order/1*'], []],
  [['order/1', 'order/2'], ['order/*'], ['order/1', 'order/2'], []],
  [['order/*'], ['customer/*'], [], ['customer/*']],
  [['a*'], ['*b'], [], ['*b']],
  [['*'], ['x'], ['x'], []],
])('%j narrowed by %j is %j', (wide, narrower, patterns, lost) => {
  expect(narrow(wide, narrower)).toEqual({ patterns, lost });
});
