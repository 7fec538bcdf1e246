import { describe, expect, test } from 'vitest';
import type { Hop } from '../../router/index.ts';
import { parseConfig } from '../../system/index.ts';
import type { KeyLoss, Lane } from '../api-schema.ts';
import { lossLine } from './key-loss.ts';
import { proveReach } from './reach.ts';
import { drawPaths } from './reach-drawing.ts';

const system = parseConfig(
  `services:
  edge: { command: x, port: 1, dependsOn: [orders] }
  orders: { command: x, port: 2, dependsOn: [pricing, payments] }
  pricing: { command: x, port: 3, dependsOn: [validation] }
  payments: { command: x, port: 4 }
  validation: { command: x, port: 5 }
`,
  { path: 'surety.yaml', environment: {} },
);

const instance = 'pricing/lane_1/run_1';
const lane = { candidates: [{ service: 'pricing', instance }] } as unknown as Lane;

let n = 0;
function hop(from: string | null, to: string, more: Partial<Hop> = {}): Hop {
  n += 1;
  const isCandidate = to === 'pricing';
  return {
    n,
    nth: n,
    at: n,
    key: 'lane_1',
    startedAt: n,
    requestId: 'req-1',
    traceId: 'trace-1',
    from,
    to,
    instance: isCandidate ? instance : 'baseline',
    served: isCandidate ? instance : `${to}/baseline/run_1`,
    answered: true,
    recovered: false,
    escaped: false,
    protocol: 'http1',
    method: 'GET',
    path: `/${to}`,
    status: 200,
    durationMs: 1,
    requestBody: null,
    requestBytes: 2,
    responseBody: null,
    responseBytes: 2,
    ...more,
  };
}

const way = (more: Partial<Hop> = {}): Hop[] => [
  hop(null, 'edge', more),
  hop('edge', 'orders', more),
  hop('orders', 'pricing', more),
  hop('pricing', 'validation', more),
  hop('orders', 'payments', more),
];

// proves: lanes.reach
describe('reach', () => {
  test('is proven when every request sent to a candidate was served by it', () => {
    expect(proveReach(lane, way(), system)).toEqual({
      proven: true,
      reason: null,
      candidates: [{ service: 'pricing', instance, sent: 1, served: 1 }],
      hops: 5,
      silent: ['payments', 'validation'],
      lost: [],
    });
  });

  test('does not count calls that an injected fault kept from the candidate', () => {
    const struck = { injected: 'status=503', answered: false, served: null, status: 503 };
    const hops = [...way(), hop('orders', 'pricing', struck)];
    expect(proveReach(lane, hops, system)).toMatchObject({
      proven: true,
      candidates: [{ sent: 1, served: 1 }],
    });
    const [, lines] = drawPaths([
      ...way(),
      hop('orders', 'pricing', { ...struck, traceId: null, requestId: null }),
    ]);
    expect(lines?.calls[0]?.line).toBe(
      'pricing  GET /pricing  503  ✗ never arrived  ! injected: status=503',
    );
  });

  test.each<[string, Hop[], string]>([
    ['nothing was sent', [], 'no request came to pricing'],
    [
      'a service calls on without the key',
      [hop(null, 'edge'), hop('edge', 'orders')],
      'orders got the key (GET /orders), and called pricing without it or not at all',
    ],
    [
      'an earlier service calls on without the key',
      [hop(null, 'edge')],
      'edge got the key (GET /edge), and called orders without it or not at all',
    ],
    [
      'the last caller drops the key, and an earlier request ended before it',
      [
        hop(null, 'edge', { requestId: 'req-0', traceId: 'trace-0' }),
        ...[hop(null, 'edge'), hop('edge', 'orders')],
      ],
      'orders got the key (GET /orders), and called pricing without it or not at all',
    ],
    [
      'one of several requests escaped to the baseline',
      [...way(), hop('orders', 'pricing', { escaped: true, instance: 'baseline', served: null })],
      'orders called pricing (GET /pricing) past the router or without the key, and the baseline served it',
    ],
    [
      'a request of an unknown caller escaped',
      [...way(), hop(null, 'pricing', { escaped: true, instance: 'baseline', served: null })],
      'orders called pricing (GET /pricing) past the router or without the key, and the baseline served it',
    ],
    [
      'another instance answered',
      [hop('orders', 'pricing', { served: 'pricing/baseline/run_1' })],
      'pricing (GET /pricing) was answered by pricing/baseline/run_1 instead of the candidate',
    ],
    [
      'the candidate did not answer every request',
      [...way(), hop('orders', 'pricing', { served: null, status: 502 })],
      'pricing served 1 of 2 requests sent to it',
    ],
  ])('is not proven when %s', (_, hops, reason) => {
    expect(proveReach(lane, hops, system)).toMatchObject({ proven: false, reason });
  });

  describe('of a service without preload', () => {
    const mute = parseConfig(
      `services:
  edge: { command: x, port: 1, dependsOn: [pricing] }
  pricing: { command: x, port: 3, tagging: baggage }
`,
      { path: 'surety.yaml', environment: {} },
    );
    const call = (more: Partial<Hop>): Hop => hop('edge', 'pricing', { served: null, ...more });

    test('is proven by its answers over the router', () => {
      const hops = [hop(null, 'edge'), call({ answered: true, status: 500 })];
      expect(proveReach(lane, hops, mute)).toMatchObject({ proven: true, reason: null });
      expect(proveReach(lane, hops, system)).toMatchObject({ proven: false });
    });

    test.each<[string, Partial<Hop>]>([
      ['the router answered in its place', { answered: false, status: 200, protocol: 'grpc' }],
      ['the baseline was called', { answered: true, instance: 'baseline' }],
    ])('is not proven where %s', (_, more) => {
      const hops = [hop(null, 'edge'), call(more)];
      expect(proveReach(lane, hops, mute)).toMatchObject({ proven: false });
    });
  });

  describe('of a lane with copies of unchanged services', () => {
    const copy = { service: 'payments', instance: 'payments/lane_1/run_1', version: 'copy' };
    const [changed] = lane.candidates;
    const both = { candidates: [{ ...changed, version: 'changed' }, copy] } as unknown as Lane;

    test('is proven when the changed service was reached, and names callers that bypassed a copy', () => {
      const { proven, lost } = proveReach(both, way().slice(0, 4), system);
      expect([proven, ...lost.map(lossLine)]).toEqual([
        true,
        'orders got the key (GET /orders), and called payments without it or not at all',
      ]);
    });

    test('is not proven when only copies were reached', () => {
      const toCopy = { instance: copy.instance, served: copy.instance };
      const hops = [hop(null, 'edge'), hop('edge', 'orders'), hop('orders', 'payments', toCopy)];
      expect(proveReach(both, hops, system)).toMatchObject({ proven: false });
      const copies = { candidates: [copy] } as unknown as Lane;
      expect(proveReach(copies, hops, system)).toMatchObject({ proven: true });
    });
  });

  test('is not proven for a lane without candidates', () => {
    const { proven } = proveReach({ ...lane, candidates: [] }, way(), system);
    expect(proven).toBe(false);
  });

  test('is proven when a call escaped to a service without a candidate, and reports the escape', () => {
    const hops = [...way(), hop('orders', 'payments', { escaped: true, served: null })];
    const { proven, lost } = proveReach(lane, hops, system);
    expect([proven, ...lost.map(lossLine)]).toEqual([
      true,
      'orders called payments (GET /payments) past the router or without the key, and the baseline served it',
    ]);
  });

  const timer = (path: string, at = 'orders'): Hop =>
    hop(at, at, { escaped: true, method: 'timer', path, instance: `${at}/baseline/run_1` });

  test('is not proven when a timer of a changed service called without the key', () => {
    const { proven, reason } = proveReach(lane, [...way(), timer('own')], system);
    expect([proven, reason]).toEqual([
      false,
      'orders called from a timer while it served others: it went without the key',
    ]);
    // What payments calls can't lead to the candidate.
    expect(proveReach(lane, [...way(), timer('own', 'payments')], system).proven).toBe(true);
  });

  test('is proven when a timer of another service called at the same time, and reports the call', () => {
    const { proven, lost } = proveReach(lane, [...way(), timer('shared')], system);
    expect(proven).toBe(true);
    expect(drawPaths([timer('shared'), timer('late')])).toEqual([]);
    expect(proveReach(lane, [...way(), timer('late')], system)).toMatchObject({
      proven: true,
      lost: [{ how: 'late', by: 'orders' }],
    });
    expect(lost.map(lossLine)).toEqual([
      'orders called without the key, for others or for all that waited; a part may have been of this lane',
    ]);
  });

  test('reports a possible loss for each service that was called', () => {
    const shared = (to: string): Hop =>
      hop('orders', to, { escaped: true, method: 'timer', path: 'shared', served: null });
    const { lost } = proveReach(lane, [...way(), shared('payments'), shared('pricing')], system);
    expect(lost.map(({ to }) => to)).toEqual(['payments', 'pricing']);
  });

  const untagged = (to: string): Hop =>
    hop('orders', to, { escaped: true, method: 'connection', path: 'untagged', served: null });

  test('is not proven when an unknown client called a changed service', () => {
    const { proven, reason } = proveReach(lane, [...way(), untagged('pricing')], system);
    expect([proven, reason]).toEqual([
      false,
      'orders called pricing by a client that Surety does not know: it went without the key',
    ]);
    expect(drawPaths([untagged('pricing')])).toEqual([]);
  });

  test('is proven when an unknown client called an unchanged service, and reports it if it speaks HTTP', () => {
    const payments = { dependsOn: [], protocol: 'tcp' as const };
    const beside = { services: { ...system.services, payments } };
    const hops = [...way(), untagged('payments')];
    expect(proveReach(lane, hops, system)).toMatchObject({
      proven: true,
      lost: [{ how: 'untagged', by: 'orders', to: 'payments' }],
    });
    expect(proveReach(lane, hops, beside)).toMatchObject({ proven: true, lost: [] });
  });

  test('names the service that dropped the key in one request but kept it in others', () => {
    const one = way().slice(0, 2);
    const other = way({ requestId: 'req-2', traceId: 'trace-2' });
    const { proven, reason, lost } = proveReach(lane, [...one, ...other], system);
    expect(lost).toEqual([
      expect.objectContaining({ how: 'cached', by: 'orders', to: 'pricing', request: 'req-1' }),
    ]);
    expect([proven, reason]).toEqual([false, lossLine(lost[0] as KeyLoss)]);
  });

  test('is proven when a request that came to no candidate was another one', () => {
    const [edge, orders] = way({ requestId: 'req-2', traceId: 'trace-2' });
    const health = { ...(edge as Hop), path: '/health' };
    expect(proveReach(lane, [...way(), health], system).proven).toBe(true);
    const refused = { ...(edge as Hop), status: 400 };
    expect(proveReach(lane, [...way(), refused, orders as Hop], system).proven).toBe(true);
  });

  const told = (path: string, request: Partial<Hop> = {}): Hop =>
    hop('orders', 'orders', { escaped: true, method: 'timer', path, ...request });

  test('is not proven when others waited while a request called that came to no candidate', () => {
    const other = { requestId: 'req-2', traceId: 'trace-2' };
    const hops = [...way(), ...way(other).slice(0, 1), told('mixed', other)];
    const { proven, reason } = proveReach(lane, hops, system);
    expect(proven).toBe(false);
    expect(reason).toContain('orders called while other requests waited in it');
    expect(reason).toContain('--callers own');
  });

  test('is proven when others waited while a request called that came to a candidate', () => {
    const { proven, lost } = proveReach(lane, [...way(), told('mixed')], system);
    expect([proven, lost.map(({ how }) => how)]).toEqual([true, ['mixed']]);
  });

  test('names the service that may have given an answer of the candidate to others', () => {
    const { lost } = proveReach(lane, [...way(), told('answer')], system);
    expect(lost.map(lossLine)).toEqual([
      expect.stringContaining('orders may have given an answer of the candidate to a request'),
    ]);
  });

  test('is proven when the trace id identified the lane, and names the service that dropped the key', () => {
    const hops = [hop('orders', 'pricing', { recovered: true })];
    const { proven, lost } = proveReach(lane, hops, system);
    expect([proven, ...lost.map(lossLine)]).toEqual([
      true,
      'orders dropped the key on its way to pricing (GET /pricing); the trace id still told it',
    ]);
  });
});

describe('the drawing of request paths', () => {
  const lines = (hops: readonly Hop[]) =>
    drawPaths(hops).map(({ count, calls }) => [`×${count}`, ...calls.map(({ line }) => line)]);

  test('puts each call below the call that caused it', () => {
    expect(lines(way())).toEqual([
      [
        '×1',
        'edge  GET /edge  200  baseline',
        '└─ orders  GET /orders  200  baseline',
        '   ├─ pricing  GET /pricing  200  ● candidate',
        '   │  └─ validation  GET /validation  200  baseline',
        '   └─ payments  GET /payments  200  baseline',
      ],
    ]);
  });

  test('separates concurrent requests and draws identical paths once', () => {
    const [one, two] = [way(), way({ requestId: 'req-2', traceId: 'trace-2' })];
    const mixed = one.flatMap((hop, index) => [hop, two[index] as Hop]);
    const drawn = lines(mixed.map((hop, index) => ({ ...hop, startedAt: index })));
    expect(drawn).toHaveLength(1);
    expect(drawn[0]?.[0]).toBe('×2');
  });

  test('follows the trace id when the request id is missing, and the request id when the trace is', () => {
    const [edge, orders, pricing] = way();
    const hops = [edge, { ...orders, requestId: null }, { ...pricing, requestId: null }] as Hop[];
    expect(lines(hops)).toHaveLength(1);
    const others = [
      edge,
      { ...orders, traceId: 'other' },
      { ...pricing, requestId: null, traceId: 'other' },
    ] as Hop[];
    expect(lines(others)).toHaveLength(1);
  });

  test('shows where the key was lost and which other protocols were used', () => {
    const hops = [
      hop(null, 'orders', { protocol: 'grpc' }),
      hop('orders', 'pricing', { recovered: true }),
      hop('orders', 'validation', { escaped: true, status: 0 }),
    ];
    expect(lines(hops)[0]?.slice(1)).toEqual([
      'orders  GET /orders  200  baseline  grpc',
      '├─ pricing  GET /pricing  200  ● candidate  ! orders dropped the key',
      '└─ validation  GET /validation  no answer  ✗ served by the baseline: the key was lost',
    ]);
  });

  test('draws calls without any id separately', () => {
    const alone = { requestId: null, traceId: null };
    expect(lines([hop(null, 'edge', alone), hop(null, 'payments', alone)])).toHaveLength(2);
  });
});
