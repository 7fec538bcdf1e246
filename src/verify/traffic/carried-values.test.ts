import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { carryInto, findCarried } from './carried-values.ts';
import type { ScenarioRequest } from './scenario.ts';

const request = (path: string, more: Partial<ScenarioRequest> = {}): ScenarioRequest => ({
  method: 'POST',
  path,
  headers: [],
  body: null,
  status: 200,
  answer: null,
  ...more,
});

const body = (value: Json): Buffer => Buffer.from(JSON.stringify(value));

describe('a value of an answer is carried into later requests', () => {
  const cases: [string, ScenarioRequest, Json, Partial<ScenarioRequest>][] = [
    [
      'in a path',
      request('/orders/ord_abc123/payment'),
      { id: 'ord_new999' },
      { path: '/orders/ord_new999/payment' },
    ],
    [
      'in a query, escaped',
      request('/orders?id=ord_abc123'),
      { id: 'ord/9 9' },
      { path: '/orders?id=ord%2F9%209' },
    ],
    [
      'in a body',
      request('/payments', { body: body({ order: 'ord_abc123', n: 1 }) }),
      { id: 'ord_$1' },
      { body: body({ order: 'ord_$1', n: 1 }) },
    ],
    [
      'in a header',
      request('/me', { headers: [['authorization', 'Bearer ord_abc123']] }),
      { id: 'tok_2' },
      { headers: [['authorization', 'Bearer tok_2']] },
    ],
  ];
  test.each(cases)('%s', (_, later, now, expected) => {
    const requests = [request('/orders', { answer: { id: 'ord_abc123' } }), later];
    const [, carried = []] = findCarried(requests);
    expect(carried).toMatchObject([{ value: 'ord_abc123', from: 0, place: ['id'] }]);
    expect(carryInto(later, carried, new Map([[0, now]]))).toEqual({ ...later, ...expected });
  });

  test('as a number from a list', () => {
    const later = request('/trades/12345');
    const first = request('/trades', { method: 'GET', answer: [{ id: 12_345 }] });
    const [, carried = []] = findCarried([first, later]);
    expect(carryInto(later, carried, new Map([[0, [{ id: 777 }]]]))?.path).toBe('/trades/777');
  });

  test('but not if the client sent it first, it is short, or it is part of a longer word', () => {
    const first = request('/orders', {
      body: body({ sku: 'TEST-001' }),
      answer: { sku: 'TEST-001', state: 'open', id: 'abcdef' },
    });
    const second = request('/open', { body: body({ sku: 'TEST-001', other: 'xabcdefx' }) });
    expect(findCarried([first, second])).toEqual([[], []]);
  });

  test('and the request is dropped if it is missing, and unchanged if its request was not sent', () => {
    const later = request('/orders/ord_abc123');
    const [, carried = []] = findCarried([
      request('/orders', { answer: { id: 'ord_abc123' } }),
      later,
    ]);
    expect(carryInto(later, carried, new Map([[0, { error: 'no' }]]))).toBeNull();
    expect(carryInto(later, carried, new Map())).toEqual(later);
  });

  test('and bodies that are not text stay unchanged', () => {
    const later = request('/upload/ord_abc123', { body: Buffer.from([0xff, 0, 0xfe]) });
    const [, carried = []] = findCarried([
      request('/orders', { answer: { id: 'ord_abc123' } }),
      later,
    ]);
    const sent = carryInto(later, carried, new Map([[0, { id: 'ord_2' }]]));
    expect(sent).toMatchObject({ path: '/upload/ord_2', body: later.body });
  });
});
