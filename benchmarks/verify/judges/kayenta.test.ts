import { describe, expect, test } from 'vitest';
import { kayentaOpinion, kayentaScore, type Metric } from './kayenta.ts';

const points = Array.from({ length: 40 }, (_, index) => 100 + ((index * 7) % 40));
const metric = (factor: number, more: Partial<Metric> = {}): Metric => ({
  name: 'latency',
  group: 'latency',
  control: points,
  canary: points.map((value) => value * factor),
  noData: 'remove',
  ...more,
});

describe('a judge as in Kayenta', () => {
  test.each([
    [[metric(1)], 'pass', 100],
    [[metric(3)], 'fail', 0],
    [[metric(1), metric(3, { group: 'errors' })], 'inconclusive', 50],
    [[metric(1), metric(1), metric(1), metric(3)], 'pass', 75],
  ] as const)('weighs groups of metrics: %#', (metrics, opinion, score) => {
    expect(kayentaScore(metrics)).toBe(score);
    expect(kayentaOpinion(metrics)).toBe(opinion);
  });

  test('leaves out what has no data, and has no opinion without any', () => {
    const empty = { control: [null], canary: [null] };
    expect(kayentaScore([metric(1), metric(1, { ...empty, group: 'other' })])).toBe(100);
    expect(kayentaOpinion([metric(1, empty)])).toBe('inconclusive');
  });

  test('counts what is missing as none where it is told to, and lets a few errors pass', () => {
    const errors = { control: points.map(() => null), canary: points.map(() => null) };
    const few = errors.canary.map((_, index) => (index < 3 ? 1 : null));
    expect(kayentaOpinion([metric(1, { ...errors, canary: few, noData: 'zero' })])).toBe('pass');
  });
});
