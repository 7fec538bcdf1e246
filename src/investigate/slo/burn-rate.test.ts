import { expect, test } from 'vitest';
import { burnOf, missedMin, type RequestBucket } from './burn-rate.ts';

const minute = 60_000;
const now = 1_000 * minute;
const burn = [{ minutes: 60, rate: 10 }];
const objective = { percent: 99, burn };

/** One bucket a minute until now: how many of ten requests each missed it. */
function buckets(missed: readonly number[]): RequestBucket[] {
  const first = now - missed.length * minute;
  return missed.map((count, index) => ({
    at: first + (index + 0.5) * minute,
    requests: 10,
    missed: count,
  }));
}

const many = (count: number, value: number): number[] => new Array(count).fill(value);
const at = (missed: readonly number[], wasBurning = false) =>
  burnOf(buckets(missed), objective, { now, wasBurning });

test('a share of failures at the bound burns, one below does not', () => {
  expect(at([...many(50, 0), ...many(10, 6)])).toMatchObject({
    state: 'burning',
    burned: { requests: 600, missed: 60, rate: 10, bound: 10, minutes: 60 },
  });
  expect(at([...many(50, 0), ...many(9, 6), 5])).toEqual({ state: 'well' });
});

test('failures that are over in the last twelfth do not raise an alert', () => {
  expect(at([...many(40, 0), ...many(15, 10), ...many(5, 0)])).toEqual({ state: 'well' });
});

test('a burning objective stays so until half the rate', () => {
  const half = [...many(55, 0.5), ...many(5, 0.6)];
  expect(at(half)).toEqual({ state: 'well' });
  expect(at(half, true)).toMatchObject({ state: 'burning' });
  expect(at([...many(55, 0.5), ...many(5, 0.4)], true)).toEqual({ state: 'well' });
});

test('a few failures are noise, whatever their share', () => {
  expect(at(many(1, missedMin - 1))).toEqual({ state: 'well' });
  expect(at(many(1, missedMin))).toMatchObject({ state: 'burning' });
});

test('without requests nobody knows', () => {
  expect(at([])).toEqual({ state: 'unknown' });
  const old = buckets(many(60, 10)).slice(0, 50);
  expect(burnOf(old, objective, { now, wasBurning: true })).toEqual({ state: 'unknown' });
});

test('the onset is where failures began, not an earlier single one', () => {
  const found = at([...many(20, 0), 3, ...many(29, 0), ...many(10, 9)]);
  expect(found).toMatchObject({ burned: { onset: now - 9.5 * minute } });
});

test('the slower window notices what the fast one does not', () => {
  const slow = {
    percent: 99,
    burn: [
      { minutes: 10, rate: 14 },
      { minutes: 60, rate: 6 },
    ],
  };
  const found = burnOf(buckets(many(60, 0.7)), slow, { now, wasBurning: false });
  expect(found).toMatchObject({ state: 'burning', burned: { minutes: 60 } });
});
