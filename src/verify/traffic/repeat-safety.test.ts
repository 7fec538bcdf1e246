import { describe, expect, test } from 'vitest';
import type { Hop, Lane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { formatUnsafe, innerSafetyOf, safetyOf } from './repeat-safety.ts';
import { givenScenarios, scenarioOf } from './scenario.ts';

const services = {
  shop: { tagging: 'preload' },
  audit: { tagging: 'preload' },
  tax: { tagging: 'baggage' },
};
const config = (more: object = {}): Config =>
  ({ traffic: { safe: [] }, datastores: {}, queues: {}, services, ...more }) as never;
const lane = (...modes: string[]): Lane =>
  ({ data: modes.map((mode, at) => ({ store: `db${at}`, mode, branch: null })) }) as never;
const asked = (line: string) => {
  const [method = '', path = ''] = line.split(' ');
  return { method, path, headers: [], body: null, status: 200, answer: null };
};

const hopOf = (line: string, more: Partial<Hop>): Hop => {
  const [method = '', path = ''] = line.split(' ');
  const known = { method, path, requestId: 'r1', traceId: 't1', protocol: 'http1' };
  return { ...known, instance: 'baseline', ...more } as Hop;
};
const entered = (line: string, requestId = 'r1'): Hop =>
  hopOf(line, { from: null, to: 'shop', requestId, traceId: `t-${requestId}` });
const called = (from: string, to: string, line: string): Hop => hopOf(line, { from, to });
const toStripe = (line: string): Hop =>
  hopOf(line, { from: 'shop', to: 'stripe.test:443', instance: 'external' });

describe('a request may be repeated', () => {
  const cases: [string, string, Config, Lane, boolean][] = [
    ['when it only reads', 'GET /orders?x=1', config(), lane(), true],
    ['not when it writes', 'POST /orders', config(), lane(), false],
    [
      'when its route is declared safe',
      'POST /orders/o-1/payment?now=1',
      config({ traffic: { safe: ['POST /orders/*/payment'] } }),
      lane(),
      true,
    ],
    [
      'not when only a part of its route is declared safe',
      'POST /orders/a/b/payment',
      config({ traffic: { safe: ['POST /orders/*/payment'] } }),
      lane(),
      false,
    ],
    [
      'when all data is the lane’s own, and it was seen to reach no third party',
      'POST /orders',
      config({ datastores: { db0: {} } }),
      lane('branch'),
      true,
    ],
    [
      'not when its calls are unknown',
      'POST /refunds',
      config({ datastores: { db0: {} } }),
      lane('branch'),
      false,
    ],
    [
      'not when a store is shared',
      'POST /orders',
      config({ datastores: { db0: {}, db1: {} } }),
      lane('branch', 'shared'),
      false,
    ],
    [
      'not when a queue leads out of the lane',
      'POST /orders',
      config({ datastores: { db0: {} }, queues: { events: {} } }),
      lane('branch'),
      false,
    ],
  ];
  test.each(cases)('%s', (_, line, given, own, expected) => {
    expect(safetyOf(given, [own], [entered('POST /orders')])(asked(line))).toBe(expected);
  });

  // proves: lanes.effects
  describe('in a lane with data of its own', () => {
    const own = config({ datastores: { db0: {} }, traffic: { safe: ['POST /declared'] } });
    const rows: [string, Hop[], string, boolean][] = [
      [
        'when its calls stay inside',
        [called('shop', 'audit', 'POST /lines')],
        'POST /orders/7/pay',
        true,
      ],
      [
        'when it only reads from a third party',
        [toStripe('GET /balance')],
        'POST /orders/7/pay',
        true,
      ],
      [
        'not when it writes to a third party',
        [toStripe('POST /charges')],
        'POST /orders/7/pay',
        false,
      ],
      [
        'when it reads, although its calls write to a third party',
        [toStripe('POST /charges')],
        'GET /orders/7/pay',
        true,
      ],
      [
        'when it is declared safe, although it writes to a third party',
        [toStripe('POST /charges')],
        'POST /declared',
        true,
      ],
      [
        'when only another request writes to a third party',
        [{ ...toStripe('POST /charges'), requestId: 'r2', traceId: null }],
        'POST /orders/7/pay',
        true,
      ],
      [
        'not when no id shows which request wrote to a third party',
        [{ ...toStripe('POST /charges'), requestId: null, traceId: null }],
        'POST /orders/7/pay',
        false,
      ],
      [
        'not through a program without the preload',
        [called('shop', 'tax', 'GET /rates')],
        'POST /orders/7/pay',
        false,
      ],
    ];
    test.each(rows)('%s', (_, hops, line, expected) => {
      const seen = [entered('POST /orders/1/pay'), entered('POST /other', 'r2'), ...hops];
      expect(safetyOf(own, [lane('branch')], seen)(asked(line))).toBe(expected);
    });
  });

  test.each([
    ['when it changes only copies', ['shop', 'audit'], 'POST', true],
    ['when it reads from the baseline', ['shop'], 'GET', true],
    ['not when it changes a service of the baseline', ['shop'], 'POST', false],
    ['not when the entrance is that of the baseline', ['audit'], 'POST', false],
  ])('in lanes with copies, %s', (_, copied, method, expected) => {
    const given = config({ datastores: { db0: {} } });
    const seen = [entered('POST /orders'), called('shop', 'audit', `${method} /lines`)];
    const isSafe = safetyOf(given, [lane('branch')], seen, new Set(copied));
    expect(isSafe(asked('POST /orders'))).toBe(expected);
  });

  test.each([
    ['when it reads', 'GET /rates', [], 'shared', true],
    ['when it is declared with its service', 'POST /quotes', ['shop POST /quotes'], 'shared', true],
    ['when its effects stay inside', 'POST /quotes', [], 'branch', true],
    ['not when only its request is declared', 'POST /quotes', ['POST /orders'], 'shared', false],
    [
      'not when its route is declared for requests',
      'POST /quotes',
      ['POST /quotes'],
      'shared',
      false,
    ],
    ['not when another service is declared', 'POST /quotes', ['tax POST /quotes'], 'shared', false],
  ])('as a call inside %s', (_, line, safe, mode, expected) => {
    const given = config({ datastores: { db0: {} }, traffic: { safe } });
    const root = entered('POST /orders');
    const isSafe = innerSafetyOf(given, [lane(mode)], [root]);
    expect(isSafe(root, called('audit', 'shop', line))).toBe(expected);
  });

  test('a remark names the requests that may not be repeated', () => {
    const isSafe = safetyOf(config(), [lane()]);
    const scenario = { name: 'flow', requests: [asked('POST /orders?a=1'), asked('GET /orders')] };
    const told = (hops: Hop[], requests = scenario.requests): string | null =>
      formatUnsafe([{ ...scenario, requests }], isSafe, { config: config(), seen: hops });
    expect(told([])).toMatch(
      /not declare them safe.*: POST \/orders; if they are, write traffic: \{ safe: \[POST \/orders\] \}$/,
    );
    expect(told([entered('POST /orders'), toStripe('POST /charges')])).toMatch(
      /: POST \/orders \(it calls stripe.test:443\); if/,
    );
    const many = ['POST /a', 'POST /b', 'POST /c', 'PUT /d', 'PUT /e'].map(asked);
    expect(told([], many)).toMatch(
      /: POST \/a, POST \/b, POST \/c, and 2 more; if they are, write traffic: \{ safe: \[POST \/a\] \}$/,
    );
    expect(told([], [asked('GET /')])).toBeNull();
  });
});

test('a scenario has all it takes to send its requests again, without the key', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const taken = {
    method: 'POST',
    path: '/orders',
    headers: ['Host', 'x', 'Authorization', 'Bearer t', 'baggage', 'surety-lane=k1, user=7'],
    body: base64('{"a":1}'),
    status: 201,
    answer: base64('{"id":"ord_1"}'),
  };
  const spoken = { ...taken, headers: ['content-type', 'application/grpc+proto'] };
  const upgraded = { ...taken, status: 101 };
  const faulty = { ...taken, headers: ['baggage', 'surety-fault=a>b:reset'] };
  expect(scenarioOf('flow', [taken, spoken, upgraded, faulty])).toEqual({
    name: 'flow',
    requests: [
      {
        method: 'POST',
        path: '/orders',
        headers: [
          ['authorization', 'Bearer t'],
          ['baggage', ' user=7'],
        ],
        body: Buffer.from('{"a":1}'),
        status: 201,
        answer: { id: 'ord_1' },
      },
    ],
  });
});

test('given requests are a scenario', () => {
  const [{ requests } = { requests: [] }] = givenScenarios([
    { method: 'POST', path: '/orders', headers: { Authorization: 'Bearer t' }, body: { a: 1 } },
    { method: 'POST', path: '/notes', body: 'as it is', status: 201 },
    { method: 'GET', path: '/' },
  ]);
  expect(requests.map(({ body }) => body?.toString())).toEqual(['{"a":1}', 'as it is', undefined]);
  expect(requests.map(({ status }) => status)).toEqual([200, 201, 200]);
  expect(requests[0]?.headers).toEqual([
    ['authorization', 'Bearer t'],
    ['content-type', 'application/json'],
  ]);
});
