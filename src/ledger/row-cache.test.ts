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

test('keeps rows up to the limit and drops the oldest first', () => {
  const cache = new RowCache();
  const keys = Array.from({ length: ledgerLimits.cachedRowsMax }, (_, index) => `k${index}`);
  cache.absorb(head('a'), rows(...keys), none);
  expect([cache.has('k0'), cache.has('k1')]).toEqual([true, true]);
  cache.absorb(head('b'), none, rows('k0', 'one more'));
  // What was changed just now stays, however long it has been known.
  expect([cache.has('k0'), cache.has('k1'), cache.has('one more')]).toEqual([true, false, true]);
});

test('keeps all rows of the batch being written, however large it is', () => {
  const cache = new RowCache();
  cache.absorb(head('a'), rows('old'), none);
  const changed = Array.from({ length: ledgerLimits.cachedRowsMax + 1 }, (_, index) => `k${index}`);
  cache.absorb(head('b'), none, rows(...changed));
  expect(changed.every((key) => cache.has(key))).toBe(true);
  expect(cache.has('old')).toBe(false);
  cache.absorb(head('c'), none, rows('next'));
  expect([cache.has('k0'), cache.has('next')]).toEqual([false, true]);
});
