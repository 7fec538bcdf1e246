import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../kernel/index.ts';
import { readRecord } from './record.ts';

test('records become rows that keep every digit of nanoseconds', () => {
  const hop = { atNs: '1800000000000000123', lane: 'lane_1', status: 200, isAnswered: true };
  const { hops, deployments, alerts, metrics } = readRecord({
    hops: [hop],
    deployments: [{ atNs: '1', kind: 'promotion', service: 'orders' }, { kind: 'odd' }],
    alerts: [{ name: 'slow', state: 'resolved' }],
    metrics: [{ service: 'orders', name: 'container.memory.usage', value: 7 }],
  });
  expect(hops).toMatchObject([{ atNs: 1_800_000_000_000_000_123n, lane: 'lane_1', path: '' }]);
  expect(deployments?.map(({ kind }) => kind)).toEqual(['promotion', 'deployment']);
  expect(alerts).toMatchObject([{ name: 'slow', state: 'resolved', labels: '{}' }]);
  expect(metrics).toMatchObject([{ kind: 'gauge', value: 7, count: null }]);
});

test('any input becomes complete rows', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const told = { hops: [one], deployments: other, alerts: [{ name: one, atNs: other }] };
      const { hops = [], deployments = [], alerts = [] } = readRecord(told as JsonObject);
      for (const { atNs } of [...hops, ...deployments, ...alerts])
        expect(typeof atNs).toBe('bigint');
    }),
  );
});
