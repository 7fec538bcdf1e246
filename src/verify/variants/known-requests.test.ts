import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { request } from '../compare/recorded.fixture.ts';
import {
  type IsSafeInside,
  isRead,
  type Scenario,
  type ScenarioRequest,
} from '../traffic/index.ts';
import { knownRequests } from './known-requests.ts';

const config = {
  services: { orders: { port: 4301 }, pricing: { port: 4302 }, payments: { port: 4304 } },
} as unknown as Pick<Config, 'services'>;

function sent(path: string, body: object, more: Partial<ScenarioRequest> = {}): ScenarioRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  return { method: 'POST', path, headers: [], body: bytes, status: 201, answer: null, ...more };
}

function find(
  requests: readonly ScenarioRequest[],
  hops: readonly Hop[],
  changed: string,
  isSafe = (_: ScenarioRequest): boolean => true,
  isSafeInside: IsSafeInside = () => true,
) {
  const scenarios: Scenario[] = [{ name: 'flow', requests }];
  return knownRequests({ scenarios, hops, changed: [changed], isSafe, isSafeInside }, config);
}

const trade = sent('/trades', { symbol: 'A', quantity: 1 });
const quote = {
  to: 'pricing',
  path: '/quotes',
  requestBody: { tradeId: 't', symbol: 'A', quantity: 1 },
};

describe('known requests', () => {
  test('are those from outside that reach a changed service, one of each shape', () => {
    const hops = [...request([quote]), ...request([], { path: '/orders' })];
    const more = sent('/trades', { symbol: 'B', quantity: 2 });
    const refused = sent('/trades', { symbol: 'C' }, { status: 400 });
    const found = find([refused, trade, more, sent('/orders', {})], hops, 'pricing');
    expect(found.map(({ name, body }) => [name, body])).toEqual([
      ['outside → orders POST /trades', { symbol: 'A', quantity: 1 }],
      ['orders → pricing POST /quotes', quote.requestBody],
    ]);
    expect(found[1]).toMatchObject({
      isInner: true,
      requests: [{ headers: expect.arrayContaining([['x-surety-to', '127.0.0.1:4302']]) }],
    });
  });

  test('come with the requests whose answers they need', () => {
    const order = sent('/orders', { total: 1 }, { answer: { id: 'ord_123456' } });
    const payment = sent('/orders/ord_123456/payment', { method: 'card' });
    const hops = [
      ...request([], { path: '/orders' }),
      ...request([{ to: 'payments', path: '/payments' }], { path: '/orders/ord_123456/payment' }),
    ];
    const found = find([trade, order, payment], hops, 'payments');
    expect(found[0]?.requests).toEqual([order, payment]);
  });

  test('know other bodies of the same route, those with the largest numbers first', () => {
    const more = [7, 900, 30, 7, 2].map((quantity) => sent('/trades', { quantity }));
    const [found] = find(more, request([quote]), 'pricing');
    expect(found?.others?.map(({ body }) => body)).toEqual(
      [900, 30, 2].map((quantity) => ({ quantity })),
    );
  });

  test('get back what was not kept because it looks like a secret', () => {
    const payment = sent('/payment', { token: 'tok_test_valid' });
    const call = { to: 'payments', requestBody: { token: '[redacted]', orderId: 'o' } };
    const hops = request([call], { path: '/payment' });
    const inner = find([payment], hops, 'payments').find(({ isInner }) => isInner);
    expect(inner?.body).toEqual({ token: 'tok_test_valid', orderId: 'o' });
    expect(find([trade], hops, 'payments')).toEqual([]);
  });

  test('inside name nothing that only one lane knows', () => {
    const named = (id: string) => ({ ...quote, requestBody: { ...quote.requestBody, id } });
    const inner = (call: Partial<Hop>): number =>
      find([trade, sent('/trades', { id: 'cus_9001a' })], request([call]), 'pricing').filter(
        ({ isInner }) => isInner,
      ).length;
    expect(inner(named('trd_20e18500-475e-4f2f-aa28-f44b4f2de9dc'))).toBe(1);
    expect(inner(named('cus_9001a'))).toBe(1);
    expect(inner(named('trd_77123'))).toBe(0);
    expect(inner({ ...quote, path: '/quotes/trd_77123' })).toBe(0);
  });

  test('are only those that are safe to repeat, also inside', () => {
    const isSafe = ({ path }: ScenarioRequest): boolean => path !== '/trades';
    expect(find([trade], request([quote]), 'pricing', isSafe)).toEqual([]);
  });

  test('inside are safe by themselves, not by the request that leads to them', () => {
    const read = { to: 'pricing', method: 'GET', path: '/rates', requestBytes: 0 };
    const hops = request([quote, read], { method: 'GET' });
    const isSafeInside: IsSafeInside = (_, call) => isRead(call);
    const found = find([], hops, 'pricing', isRead, isSafeInside);
    expect(found.map(({ name }) => name)).toEqual(['orders → pricing GET /rates']);
  });
});
