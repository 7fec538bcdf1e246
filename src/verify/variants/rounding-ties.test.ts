import { describe, expect, test } from 'vitest';
import { roundingTies } from './rounding-ties.ts';

const cents = (amount: number): number => amount * 0.001 * 100;

describe('numbers at which ways of rounding differ', () => {
  test('lie in the middle of two cents once they are multiplied with the rate of the code', () => {
    const ties = roundingTies([0.001], 15_000);
    expect(ties).toEqual(expect.arrayContaining([1_345, 1_355, 155_535]));
    expect(ties.every(Number.isInteger)).toBe(true);
    // Half up and half even disagree on one of each pair.
    const between = ties.filter((tie) => Math.abs((cents(tie) % 1) - 0.5) < 1e-6);
    expect(between.map((tie) => Math.floor(cents(tie) + 0.25) % 2)).toEqual(
      expect.arrayContaining([0, 1]),
    );
  });

  test('are parts of cents where the code has no rate, few of them and none of them huge', () => {
    expect(roundingTies([], 0.5)).toEqual([1.345, 1.355, 155.535, 134.5, 135.5, 15_553.5]);
    expect(roundingTies([1e-12], 0.5)).toEqual(roundingTies([], 0.5));
  });
});
