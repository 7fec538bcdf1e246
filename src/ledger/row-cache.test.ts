import { expect, test } from 'vitest';
import type { Json } from '../kernel/index.ts';
import { ledgerLimits } from './limits.ts';
import { RowCache } from './row-cache.ts';

const head = (hash: string) => ({ seq: 1, at: 1, hash });
const rows = (...keys: string[]) =>
  new Map<string, Json | undefined>(keys.map((key) => [key, { key }]));

const none = new Map<string, Json | undefined>();

test('cached rows are valid as long as the head is the same', () => {
  const cache = new RowCache();
  cache.absorb(head('a'), rows('x'), new Map([['y', undefined]]));
  cache.keepFor(head('a'));
  expect(cache.get('x')).toEqual({ key: 'x' });
  expect([cache.has('y'), cache.get('y')]).toEqual([true, undefined]);
  cache.keepFor(head('b'));
  expect([cache.has('x'), cache.has('y')]).toEqual([false, false]);
});

test('a later batch overrides an earlier one in the cache', () => {
  const cache = new RowCache();
  cache.absorb(head('a'), rows('x'), none);
  cache.absorb(head('b'), new Map([['x', 1]]), new Map([['x', 2]]));
  expect(cache.get('x')).toBe(2);
});

const half = ledgerLimits.cachedRowsMax / 2;
const many = (name: string, count: number) =>
  rows(...Array.from({ length: count }, (_, index) => `${name}${index}`));

test('keeps rows up to the limit and drops the oldest first', () => {
  const cache = new RowCache();
  cache.absorb(head('a'), many('a', half), none);
  cache.absorb(head('b'), none, many('b', half - 1));
  cache.absorb(head('c'), none, rows('a0'));
  expect(['a0', 'a1', 'b0'].map((key) => cache.has(key))).toEqual([true, true, true]);
  cache.absorb(head('d'), none, rows('one more'));
  // The row that was changed after the others stays.
  expect(['a0', 'a1', 'b0', 'one more'].map((key) => cache.has(key))).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test('keeps all rows of the batch being written, however large it is', () => {
  const cache = new RowCache();
  cache.absorb(head('a'), rows('old'), none);
  const changed = many('k', ledgerLimits.cachedRowsMax + 1);
  cache.absorb(head('b'), none, changed);
  expect([...changed.keys()].every((key) => cache.has(key))).toBe(true);
  cache.absorb(head('c'), none, rows('next'));
  expect(['old', 'k0', 'next'].map((key) => cache.has(key))).toEqual([false, true, true]);
  cache.absorb(head('d'), none, many('d', half));
  expect(['k0', 'next', 'd0'].map((key) => cache.has(key))).toEqual([false, true, true]);
});
