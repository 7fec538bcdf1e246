import { expect, it } from 'vitest';
import { planVisits } from './plan.ts';

it('plans the same visits for the same seed and others for another', () => {
  expect(planVisits(50, 7)).toEqual(planVisits(50, 7));
  expect(planVisits(50, 7)).not.toEqual(planVisits(50, 8));
});

it('mixes every kind of visit', () => {
  const kinds = new Set(planVisits(1_000, 1).map((visit) => visit.kind));
  expect([...kinds].sort()).toEqual([
    'bad-input',
    'order',
    'payment',
    'payment-declined',
    'payment-retried',
    'payment-slow',
    'token-expired',
    'trade',
    'trade-blocked',
    'trade-high-value',
  ]);
});
