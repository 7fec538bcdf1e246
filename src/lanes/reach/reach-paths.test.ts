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

describe('with a service that handles two requests at once', () => {
  const request = hop(null, 'shop', 0, 100);
  const product = { ...hop('shop', 'catalogue', 10, 50), spanId: 'a1' };
  const reviews = { ...hop('shop', 'catalogue', 11, 50), spanId: 'b2' };

  test('a call with the span of the first belongs to the first', () => {
    const labels = { ...hop('catalogue', 'pricing', 20, 30), spanId: 'a1' };
    const [tree] = requestPaths([request, product, reviews, labels])[0]?.calls ?? [];
    expect(tree?.calls.map(({ calls }) => calls.length)).toEqual([1, 0]);
  });

  test('a call with a span of its own belongs to the latest', () => {
    const labels = { ...hop('catalogue', 'pricing', 20, 30), spanId: 'c3' };
    const [tree] = requestPaths([request, product, reviews, labels])[0]?.calls ?? [];
    expect(tree?.calls.map(({ calls }) => calls.length)).toEqual([0, 1]);
  });
});
