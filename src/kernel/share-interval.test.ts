import { expect, test } from 'vitest';
import { shareInterval } from './share-interval.ts';

// Published values of the exact interval, as R's binom.test prints them.
test.each([
  [0, 400, 0, 0.00918],
  [0, 10, 0, 0.3085],
  [1, 10, 0.00253, 0.44502],
  [5, 10, 0.18709, 0.81291],
  [10, 10, 0.6915, 1],
  [4, 1_000, 0.00109, 0.01021],
  [0, 0, 0, 1],
])('the 95 %% interval of %i in %i is %d to %d', (happened, all, low, high) => {
  const interval = shareInterval(happened, all);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});
