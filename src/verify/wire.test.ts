import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../kernel/index.ts';
import type { Hop } from '../lanes/index.ts';
import { hopName } from './differences/hop-name.ts';
import { compareWire } from './wire.ts';

const hop = (requestBody: Json, responseBody: Json = null): Hop => ({
  n: 1,
  requestId: null,
  from: 'pricing',
  to: 'validation',
  instance: 'baseline',
  served: null,
  startedAt: 0,
  traceId: null,
  recovered: false,
  escaped: false,
  protocol: 'http1',
  method: 'POST',
  path: '/validations',
  status: 200,
  requestBody,
  responseBody,
});

describe('the wire', () => {
  test('a number that became a string is found, with a value of either side', () => {
    const control = [hop({ amount: 15_000, currency: 'USD' })];
    const candidate = [hop({ amount: '15,000.00', currency: 'USD' })];
    expect(compareWire(control, candidate)).toEqual([
      {
        hop: 'pricing → validation POST /validations',
        part: 'request',
        field: 'amount',
        before: 'number',
        after: 'string',
        sampleBefore: 15_000,
        sampleAfter: '15,000.00',
      },
    ]);
  });

  test.each<[string, Json, Json, string[]]>([
    ['a field that is gone', { a: 1, b: 2 }, { a: 1 }, ['b: number → absent']],
    ['a field that is sometimes null', { a: 1 }, { a: null }, ['a: number → null']],
    ['a field in a list', { i: [{ p: 1 }] }, { i: [{ p: '1' }] }, ['i[].p: number → string']],
    ['a body of another type', { a: { b: 1 } }, [], ['(the body): object → array']],
    ['an object that became a text', { a: { b: 1 } }, { a: '' }, ['a: object → string']],
  ])('%s is found, once', (_, before, after, expected) => {
    const found = compareWire([hop(before)], [hop(after)]);
    expect(found.map((one) => `${one.field}: ${one.before} → ${one.after}`)).toEqual(expected);
  });

  test('a new field is no difference, and neither is a hop that one side did not make', () => {
    expect(compareWire([hop({ a: 1 })], [hop({ a: 2, b: 'new' })])).toEqual([]);
    expect(compareWire([hop({ a: 1 })], [])).toEqual([]);
    expect(compareWire([hop(null)], [hop({ a: 1 })])).toEqual([]);
  });

  test('responses are compared like requests', () => {
    const found = compareWire([hop(null, { ok: true })], [hop(null, { ok: 'yes' })]);
    expect(found).toMatchObject([{ part: 'response', field: 'ok' }]);
  });

  test('whatever travels, equal traffic has no difference', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (bodies) => {
        const hops = bodies.map((body) => hop(body as Json));
        expect(compareWire(hops, [...hops].reverse())).toEqual([]);
      }),
    );
  });

  test.each([
    ['/orders/ord_1f3a/payment?retry=1', '/orders/(id)/payment'],
    ['/trades', '/trades'],
    ['/v1/x', '/(id)/x'],
  ])('the route of %s is %s', (path, route) => {
    expect(hopName({ ...hop(null), path })).toBe(`pricing → validation POST ${route}`);
  });
});
