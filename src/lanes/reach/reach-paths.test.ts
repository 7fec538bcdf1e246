import { describe, expect, test } from 'vitest';
import type { Hop } from '../../router/index.ts';
import { type CallTree, requestPaths } from './reach-paths.ts';

const hop = (from: string | null, to: string, startedAt: number, endedAt: number): Hop =>
  ({ from, to, startedAt, durationMs: endedAt - startedAt, n: startedAt, traceId: 't1' }) as Hop;

const draw = ({ hop: { to }, calls }: CallTree): string =>
  calls.length === 0 ? to : `${to}(${calls.map(draw).join(' ')})`;

const drawn = (...hops: Hop[]): string[] =>
  requestPaths(hops).flatMap(({ calls }) => calls.map(draw));

describe('with a service that calls back into its caller', () => {
  const request = hop(null, 'orders', 0, 100);
  const call = hop('orders', 'risk', 10, 50);
  const callback = hop('risk', 'orders', 20, 40);

  test('a call after the answer to the callback belongs to the first request', () => {
    const later = hop('orders', 'payments', 60, 70);
    expect(drawn(request, call, callback, later)).toEqual(['orders(risk(orders) payments)']);
  });

  test('a call during the callback belongs to the callback', () => {
    const during = hop('orders', 'customers', 25, 35);
    expect(drawn(request, call, callback, during)).toEqual(['orders(risk(orders(customers)))']);
  });

  test('a call after all answers belongs to the latest request', () => {
    const late = hop('orders', 'audit', 120, 130);
    expect(drawn(request, call, callback, late)).toEqual(['orders(risk(orders(audit)))']);
  });
});
