import { expect, test } from 'vitest';
import { findChangePoint, shiftScore } from './change-point.ts';
import { seededRandom } from './rank.fixture.ts';
import { usualRange } from './robust.ts';

const noise = (seed: number, count: number, level = 0): number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => level + random());
};

test('finds nearly the index at which a noisy series changes its level', () => {
  const change = findChangePoint([...noise(1, 60), ...noise(2, 40, 2)]);
  expect(Math.abs((change?.index ?? 0) - 60)).toBeLessThanOrEqual(2);
  expect(change?.chance).toBeLessThan(1e-6);
});

test('one wild value is no change-point', () => {
  const values = noise(3, 100);
  values[50] = 1e9;
  expect(findChangePoint(values)?.chance ?? 1).toBeGreaterThan(0.01);
});

test('a series that never changes rarely looks as if it did', () => {
  const chances = Array.from({ length: 200 }, (_, seed) => findChangePoint(noise(seed, 80)));
  expect(chances.filter((one) => (one?.chance ?? 1) < 0.001).length).toBeLessThanOrEqual(1);
});

test('a series of few or equal values has no change-point', () => {
  expect(findChangePoint([1, 2, 3])).toBeNull();
  expect(findChangePoint(new Array(50).fill(7))).toBeNull();
});

test('a shift counts by the usual spread of the series', () => {
  const small = shiftScore(noise(4, 60), noise(5, 60, 1));
  const large = shiftScore(noise(4, 60), noise(5, 60, 50));
  expect(large).toBeGreaterThan(small);
  expect(shiftScore(noise(4, 60), noise(5, 60))).toBeLessThan(0.3);
});

test('a series that always grows does not count as shifted because it goes on growing', () => {
  const growing = Array.from({ length: 120 }, (_, second) => 100 + second);
  const fault = [...growing.slice(0, 60), ...growing.slice(60).map((value) => value * 3)];
  const score = (values: number[]) => shiftScore(values.slice(0, 60), values.slice(60));
  expect(score(growing)).toBeLessThan(1);
  expect(score(fault)).toBeGreaterThan(1.5);
});

test('a change of less than a hundredth of a nearly constant value is small', () => {
  const before = Array.from({ length: 60 }, (_, second) => 1e8 + (second % 2));
  const after = before.map((value) => value + 5e5);
  expect(shiftScore(before, after)).toBeLessThan(0.5);
  expect(usualRange([0, 0, 0])).toEqual({ center: 0, spread: 1 });
});
