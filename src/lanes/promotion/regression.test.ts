import { describe, expect, test } from 'vitest';
import { laneLimits } from '../limits.ts';
import { type PromotionObservation, regressionOf } from './regression.ts';

type Service = PromotionObservation['services'][number];

const well: Service = { service: 'orders', state: 'running', restarts: 0, unhealthyLooks: 0 };
const looked = (
  more: Partial<Service>,
  shares: PromotionObservation['shares'] = null,
): PromotionObservation => ({
  services: [well, { ...well, ...more }],
  shares,
});
const counts = (
  before: [number, number],
  since: [number, number],
): PromotionObservation['shares'] => ({
  before: { requests: before[0], errors: before[1] },
  since: { requests: since[0], errors: since[1] },
});

describe('a promotion made things worse when', () => {
  test.each<[string, PromotionObservation, RegExp]>([
    ['a service crashed', looked({ state: 'crashed' }), /orders crashed/],
    [
      'it was started again',
      looked({ restarts: laneLimits.promotionRestartsMax }),
      /again 1 times/,
    ],
    [
      'it is not healthy for long',
      looked({ state: 'unhealthy', unhealthyLooks: laneLimits.promotionUnhealthyChecksMax }),
      /not healthy/,
    ],
    [
      'requests fail that did not',
      looked({}, counts([100, 0], [50, laneLimits.promotionErrorsMin])),
      /5 of 50 requests failed, 0 of 100 before/,
    ],
  ])('%s', (_, seen, reason) => {
    expect(regressionOf(seen)).toMatch(reason);
  });

  test.each<[string, PromotionObservation]>([
    ['all is well', looked({})],
    ['somebody stopped it', looked({ state: 'stopped' })],
    [
      'it is ill for a moment',
      looked({ unhealthyLooks: laneLimits.promotionUnhealthyChecksMax - 1 }),
    ],
    ['it was never started again', looked({ restarts: laneLimits.promotionRestartsMax - 1 })],
    ['too few failed', looked({}, counts([100, 0], [5, laneLimits.promotionErrorsMin - 1]))],
    ['as many failed before', looked({}, counts([100, 20], [100, 22]))],
    ['nobody asked', looked({}, counts([0, 0], [0, 0]))],
  ])('and not when %s', (_, seen) => {
    expect(regressionOf(seen)).toBeNull();
  });
});
