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

const enough = laneLimits.promotionLatencyRequestsMin;
const medians = (
  before: readonly [number, number],
  since: readonly [number, number],
): PromotionObservation['shares'] => ({
  before: { requests: before[0], errors: 0, medianMs: before[1] },
  since: { requests: since[0], errors: 0, medianMs: since[1] },
});

describe('a promotion counts as a regression', () => {
  test.each<[string, PromotionObservation, RegExp]>([
    ['when a service crashed', looked({ state: 'crashed' }), /orders crashed/],
    [
      'when a service was restarted',
      looked({ restarts: laneLimits.promotionRestartsMax }),
      /again 1 times/,
    ],
    [
      'when a service stays unhealthy',
      looked({ state: 'unhealthy', unhealthyLooks: laneLimits.promotionUnhealthyChecksMax }),
      /not healthy/,
    ],
    [
      'when requests fail that succeeded before',
      looked({}, counts([100, 0], [50, laneLimits.promotionErrorsMin])),
      /5 of 50 requests failed, 0 of 100 before/,
    ],
    [
      'when requests take twice as long as before, and 50 ms longer',
      looked({}, medians([enough, 50], [enough, 100])),
      /half of 50 requests took 100 ms or more, 50 ms before/,
    ],
  ])('%s', (_, seen, reason) => {
    expect(regressionOf(seen)).toMatch(reason);
  });

  test.each<[string, PromotionObservation]>([
    ['all is well', looked({})],
    ['a person stopped the service', looked({ state: 'stopped' })],
    [
      'a service is unhealthy for a moment',
      looked({ unhealthyLooks: laneLimits.promotionUnhealthyChecksMax - 1 }),
    ],
    ['a service was not restarted', looked({ restarts: laneLimits.promotionRestartsMax - 1 })],
    [
      'too few requests failed',
      looked({}, counts([100, 0], [5, laneLimits.promotionErrorsMin - 1])),
    ],
    ['as many requests failed before', looked({}, counts([100, 20], [100, 22]))],
    ['few requests got slower', looked({}, medians([enough, 50], [enough - 1, 900]))],
    ['there were few requests before', looked({}, medians([enough - 1, 50], [enough, 900]))],
    ['requests got slower by less than half', looked({}, medians([enough, 200], [enough, 399]))],
    ['requests got slower by less than 50 ms', looked({}, medians([enough, 5], [enough, 54]))],
    ['there were no requests', looked({}, counts([0, 0], [0, 0]))],
  ])('but not when %s', (_, seen) => {
    expect(regressionOf(seen)).toBeNull();
  });
});
