import { describe, expect, test } from 'vitest';
import type { Lane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { givenScenario } from './given.ts';
import { safetyOf, tellUnsafe } from './safe.ts';
import { scenarioOf } from './scenario.ts';

const config = (more: object = {}): Config =>
  ({ traffic: { safe: [] }, datastores: {}, queues: {}, ...more }) as never;
const lane = (...modes: string[]): Lane =>
  ({ data: modes.map((mode, at) => ({ store: `db${at}`, mode, branch: null })) }) as never;
const asked = (line: string) => {
  const [method = '', path = ''] = line.split(' ');
  return { method, path, headers: [], body: null, status: 200, answer: null };
};

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
      'not when only a part of its route is',
      'POST /orders/a/b/payment',
      config({ traffic: { safe: ['POST /orders/*/payment'] } }),
      lane(),
      false,
    ],
    [
      'when all data is the lane’s own',
      'POST /orders',
      config({ datastores: { db0: {} } }),
      lane('branch'),
      true,
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
    expect(safetyOf(given, [own])(asked(line))).toBe(expected);
  });

  test('what may not is named', () => {
    const isSafe = safetyOf(config(), [lane()]);
    const scenario = { name: 'flow', requests: [asked('POST /orders?a=1'), asked('GET /orders')] };
    expect(tellUnsafe([scenario], isSafe)).toMatch(/not declare them safe.*: POST \/orders$/);
    expect(tellUnsafe([{ ...scenario, requests: [asked('GET /')] }], isSafe)).toBeNull();
  });
});

test('a scenario has what it takes to send its requests again, and no key', () => {
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

test('requests that somebody wrote down are a scenario, too', () => {
  const { requests } = givenScenario('traffic', [
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
