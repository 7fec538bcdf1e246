import { expect, test } from 'vitest';
import type { Hop } from '../../router/index.ts';
import { attributeOwnCalls } from './own-calls.ts';

const hop = (from: string | null, to: string, more: Partial<Hop>): Hop =>
  ({ from, to, instance: `${to}/lane_1/run_1`, requestId: null, durationMs: 10, ...more }) as Hop;

const request = hop(null, 'shop', { startedAt: 100, traceId: 't1', requestId: 'r1' });

test('puts a call without the key below the request that its caller served', () => {
  const call = hop('shop', 'rates', { startedAt: 104, traceId: 't2', own: true });
  const next = hop('rates', 'store', { startedAt: 105, traceId: 't2' });
  const named = attributeOwnCalls([next, call, request]);
  expect(named.map(({ traceId, requestId }) => [traceId, requestId])).toEqual([
    ['t1', 'r1'],
    ['t1', 'r1'],
    ['t1', 'r1'],
  ]);
});

test('leaves out calls that were made for no request, and those to third parties', () => {
  const warm = hop('shop', 'rates', { startedAt: 20, traceId: 't3', own: true });
  const late = hop('shop', 'rates', { startedAt: 111, traceId: 't4', own: true });
  const exporter = { startedAt: 104, traceId: 't5', own: true, instance: 'external' } as const;
  const hops = [warm, request, late, hop('shop', '10.0.0.9:4318', exporter)];
  expect(attributeOwnCalls(hops)).toEqual([request]);
});

test('attributes no call while its caller serves several requests', () => {
  const other = hop(null, 'shop', { startedAt: 101, traceId: 't6' });
  const call = hop('shop', 'rates', { startedAt: 104, traceId: 't2', own: true });
  expect(attributeOwnCalls([call, request, other])).toEqual([call, request, other]);
});
