import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chanceDivergence, jensenShannon } from './divergence.ts';
import { chiSquareTail, gammaTail } from './gamma-tail.ts';
import { screenShift, testShift } from './shift-test.ts';

describe('the Jensen–Shannon divergence', () => {
  // The examples of scipy.spatial.distance.jensenshannon, which gives the square root.
  test.each([
    [[1, 0, 0], [0, 1, 0], 1, 2],
    [[1, 0], [0.5, 0.5], 0.46450140402245893, Math.E],
    [[1, 0, 0], [1, 0, 0], 0, 2],
  ])(
    'of %j and %j is the square of the distance that SciPy documents',
    (one, other, distance, base) => {
      expect(jensenShannon(one, other)).toBeCloseTo(
        (distance ** 2 * Math.log(base)) / Math.LN2,
        12,
      );
    },
  );

  test('is symmetric, between 0 and 1, and 0 for the same shares', () => {
    const counts = fc.array(fc.nat(50), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(counts, counts, (one, other) => {
        const divergence = jensenShannon(one, other);
        expect(divergence).toBeGreaterThanOrEqual(0);
        expect(divergence).toBeLessThanOrEqual(1);
        expect(jensenShannon(other, one)).toBeCloseTo(divergence, 12);
        expect(
          jensenShannon(
            one,
            one.map((count) => 3 * count),
          ),
        ).toBeCloseTo(0, 12);
      }),
    );
  });

  test('of an empty sample is 0', () => {
    expect(jensenShannon([0, 0], [3, 4])).toBe(0);
    expect(chanceDivergence([0, 0], [3, 4])).toBe(0);
  });
});

describe('tails', () => {
  // The example of scipy.special.gammaincc.
  test.each([
    [0, 1],
    [1, 0.157299207],
    [10, 7.74421643e-6],
    [100, 2.08848758e-45],
  ])('Q(0.5, %d) is the value that SciPy documents', (x, expected) => {
    expect(gammaTail(0.5, x) / expected).toBeCloseTo(1, 7);
  });

  // Critical values of the chi-square distribution as every table prints them.
  test.each([
    [1, 3.841, 0.05],
    [10, 18.307, 0.05],
    [19, 43.82, 0.001],
    [30, 50.892, 0.01],
  ])('chi-square with %d degrees of freedom exceeds %d with probability %d', (freedom, x, p) => {
    expect(chiSquareTail(freedom, x) / p).toBeCloseTo(1, 2);
  });
});

describe('the test for a shift', () => {
  test('finds a clear shift, and repeats its answer for the same seed', () => {
    const [reference, recent] = [
      [400, 300, 300, 0],
      [10, 20, 30, 40],
    ];
    const first = testShift(reference, recent, 7);
    expect(first).toMatchObject({ isSignificant: true });
    expect(testShift(reference, recent, 7)).toEqual(first);
  });

  test('does not cry wolf about a few rare actions that chi-square would report', () => {
    // Forty kinds of action that occur once each: chi-square is far off for such a table.
    const rare = Array.from({ length: 40 }, () => 1);
    const reference = [900, ...rare.map(() => 0)];
    const recent = [10, ...rare.map((_, index) => (index < 4 ? 1 : 0))];
    const screened = screenShift(reference, recent);
    const tested = testShift(reference, recent, 1);
    expect(tested.isSignificant).toBe(false);
    expect(tested.p).toBeGreaterThanOrEqual(screened.p);
  });

  test('corrects the divergence of small samples for chance', () => {
    const [one, other] = [
      [5, 5, 5, 5],
      [6, 4, 5, 5],
    ];
    expect(jensenShannon(one, other)).toBeGreaterThan(0);
    expect(screenShift(one, other).divergence).toBe(0);
  });
});
