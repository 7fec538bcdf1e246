import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import type { ServiceSignal } from '../api-schema.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import { type ScenarioRequest, ScenarioSender } from '../traffic/index.ts';
import { judgeStarts } from './judge-starts.ts';
import { conclude, isUnconfirmed } from './measure.ts';
import { hopsByRequest, isError } from './sample.ts';
import { type MeasuredSignal, signalsOf } from './signals.ts';
import { neededSteps, stepsOf } from './steps.ts';

const request = (path: string, answer: ScenarioRequest['answer'] = null): ScenarioRequest => ({
  method: 'GET',
  path,
  headers: [],
  body: null,
  status: 200,
  answer,
});

const at = (startedAt: number, more: Partial<Hop>): Hop => ({
  ...hop(),
  startedAt,
  durationMs: 10,
  responseBytes: 100,
  status: 200,
  ...more,
});

describe('hops belong to the request before them', () => {
  test('even if they are late or have no request id', () => {
    const hops = [
      at(5, { from: 'edge', to: 'orders', requestId: null }),
      at(0, { from: null, to: 'edge', requestId: 'r1' }),
      at(30, { from: null, to: 'edge', requestId: 'r2' }),
      at(29, { from: 'orders', to: 'mail', requestId: null }),
    ];
    const groups = hopsByRequest(hops);
    expect(groups.get('r1')?.map(({ to }) => to)).toEqual(['edge', 'orders', 'mail']);
    expect(groups.get('r2')?.map(({ to }) => to)).toEqual(['edge']);
  });
});

test.each([
  [0, 200, true],
  [500, 200, true],
  [404, 200, true],
  [404, 404, false],
  [302, 200, false],
])('status %i instead of the recorded %i is an error: %o', (status, expected, answer) => {
  expect(isError(status, expected)).toBe(answer);
});

describe('the signals of a service', () => {
  const visit = (id: string, calls: number, ms: number): Hop[] => [
    at(0, { from: null, to: 'edge', requestId: id, durationMs: ms + 5 }),
    at(1, { from: 'edge', to: 'orders', durationMs: ms, responseBytes: 200 }),
    ...Array.from({ length: calls }, () =>
      at(2, { from: 'orders', to: 'pricing', durationMs: 4, status: 503 }),
    ),
  ];
  const pair = {
    request: request('/'),
    control: { id: 'a', status: 200, cpuUs: [1_000] },
    candidate: { id: 'b', status: 502, cpuUs: [1_500] },
  };
  const sampled = {
    pairs: [pair],
    control: new Map([['a', visit('a', 1, 10)]]),
    candidate: new Map([['b', visit('b', 2, 20)]]),
    services: ['orders'],
    ingress: 'edge',
  };

  test('are CPU time, own time, calls, bytes of answers and errors', () => {
    const found = signalsOf(sampled).map(({ service, signal, start }) => [
      `${service} ${signal}`,
      start[0],
    ]);
    expect(Object.fromEntries(found)).toEqual({
      'orders cpu-us': { control: 1_000, candidate: 1_500 },
      // Both calls at the same time are waited for once.
      'orders latency-ms': { control: 6, candidate: 16 },
      'orders downstream-calls': { control: 1, candidate: 2 },
      'orders response-bytes': { control: 200, candidate: 200 },
      'orders errors': { control: 0, candidate: 0 },
      'edge request-ms': { control: 15, candidate: 25 },
      'edge errors': { control: 0, candidate: 1 },
    });
  });

  test('include the time of calls after the answer only until the answer', () => {
    const late = at(10, { from: 'orders', to: 'audit', durationMs: 500 });
    const after = at(12, { from: 'orders', to: 'audit', durationMs: 500 });
    const candidate = new Map([['b', [...visit('b', 1, 10), late, after]]]);
    const found = signalsOf({ ...sampled, candidate });
    const latency = found.find(({ signal }) => signal === 'latency-ms');
    // From 1 to 11, of which it waits from 2 to 6 and from 10 on.
    expect(latency?.start[0]).toEqual({ control: 6, candidate: 5 });
  });

  test.each([
    ['that failed and was answered before', 400, 200, 1],
    ['that was refused before', 400, 400, 0],
    ['that was answered in spite of it', 200, 200, 0],
  ])('count a refusal in a request %s', (_, status, expected, errors) => {
    const refused = [
      at(0, { from: null, to: 'edge', requestId: 'b', status }),
      at(1, { from: 'edge', to: 'orders', status: 400 }),
    ];
    const asked = { ...pair.request, status: expected };
    const candidate = { ...pair.candidate, status };
    const found = signalsOf({
      ...sampled,
      pairs: [{ ...pair, request: asked, candidate }],
      candidate: new Map([['b', refused]]),
    });
    const own = found.find((one) => one.service === 'orders' && one.signal === 'errors');
    expect(own?.start).toEqual([{ control: 0, candidate: errors }]);
  });

  test('leave out requests that did not reach it, and are unknown where hops are lost', () => {
    const elsewhere = [at(0, { from: null, to: 'edge', requestId: 'a' })];
    const away = new Map([['a', elsewhere]]);
    const other = { ...sampled, control: away, candidate: new Map([['b', elsewhere]]) };
    expect(signalsOf(other).map(({ service }) => service)).toEqual(['edge', 'edge']);
    const lost = signalsOf({ ...sampled, candidate: new Map() });
    const calls = lost.find(({ signal }) => signal === 'downstream-calls');
    expect(calls?.start[0]?.candidate).toBeNaN();
    expect(judgeStarts([lost]).every(({ verdict }) => verdict === 'inconclusive')).toBe(true);
  });
});

test('a scenario repeats its relevant requests and those whose answers they need', () => {
  const requests = [
    request('/login', { token: 'tok_123456' }),
    request('/news'),
    request('/orders?by=tok_123456', { id: 'ord_123456' }),
    request('/orders/ord_123456'),
    request('/away'),
  ];
  const [steps = []] = stepsOf([{ name: 'flow', requests }], ({ path }) => path !== '/away');
  expect(steps.map(({ number }) => number)).toEqual([0, 1, 2, 3]);
  const needed = neededSteps(steps, ({ number }) => number === 3);
  expect(needed.map(({ number }) => number)).toEqual([0, 2, 3]);
});

const signal = (more: Partial<ServiceSignal>): ServiceSignal => ({
  service: 'orders',
  signal: 'cpu-us',
  verdict: 'not-worse',
  before: 1_000,
  after: 1_500,
  ratio: 1.5,
  interval: { low: 1.4, high: 1.6 },
  pairs: 50,
  starts: 2,
  pairsNeeded: null,
  ...more,
});
const errors = (after: number): ServiceSignal =>
  signal({ signal: 'errors', before: 0, after, ratio: null, verdict: 'inconclusive' });

describe('a verdict', () => {
  test('has a worse signal as a finding, with its interval', () => {
    const { differences, undecided } = conclude([signal({ verdict: 'worse' })], 'quick');
    expect(undecided).toEqual([]);
    expect(differences).toMatchObject([
      {
        class: 'signal',
        what: 'cpu-us',
        service: 'orders',
        before: '1000 µs',
        after: '1500 µs (+50 %; 95 %: +40 % to +60 %, in 50 pairs)',
      },
    ]);
  });

  test('mentions undecided signals, which matter only in full', () => {
    const open = [signal({ verdict: 'inconclusive', pairsNeeded: 70 })];
    expect(conclude(open, 'quick')).toMatchObject({ differences: [], undecided: [] });
    expect(conclude(open, 'quick').remarks[0]).toContain('cpu-us of orders (+50 %');
    expect(conclude(open, 'full').undecided[0]).toContain('about 70 pairs would decide it');
    const bearable = [signal({ verdict: 'inconclusive', interval: { low: 0.9, high: 1.1 } })];
    expect(conclude(bearable, 'full')).toMatchObject({ differences: [], undecided: [] });
    expect(conclude(bearable, 'full').remarks).toHaveLength(1);
    const far = [signal({ verdict: 'inconclusive', interval: { low: 2, high: 9 } })];
    expect(conclude(far, 'quick').undecided).toHaveLength(1);
  });

  test.each(['quick', 'full'] as const)('never passes new errors, however few: %s', (profile) => {
    expect(conclude([errors(1)], profile).undecided[0]).toContain('errors of orders: 0 → 1');
    expect(conclude([errors(3)], profile).undecided).toHaveLength(1);
    const again = [{ ...errors(3), verdict: 'worse' as const }];
    expect(conclude(again, profile)).toMatchObject({ undecided: [] });
    expect(conclude(again, profile).differences).toMatchObject([
      { what: 'errors', before: '0', after: '3 in 50 pairs of requests' },
    ]);
  });
});

describe('a second start is measured', () => {
  /** Of ten answers the candidate's takes 41 ms so often, the control's thrice; others 1 ms. */
  const delayed = (often: number): MeasuredSignal[] => [
    {
      service: 'fees',
      signal: 'latency-ms',
      start: Array.from({ length: 40 }, (_, index) => ({
        control: index % 10 >= 7 ? 41 : 1,
        candidate: index % 10 < often ? 41 : 1,
      })),
    },
  ];

  test.each([
    ['if most answers of the first were many times slower, though that proves nothing', 6, true],
    ['not if few of them were', 2, false],
  ])('%s', (_, often, expected) => {
    const [only] = judgeStarts([delayed(often)]);
    expect([only?.verdict, isUnconfirmed([delayed(often)])]).toEqual(['inconclusive', expected]);
  });

  test('but no third one', () => {
    expect(isUnconfirmed([delayed(6), delayed(6)])).toBe(false);
  });
});

test('a request without an answer has status 0', async () => {
  const sender = new ScenarioSender('http://127.0.0.1:9', 'lane_1');
  const { status, ms, body } = await sender.send(request('/'), 'r1');
  expect({ status, body }).toEqual({ status: 0, body: null });
  expect(ms).toBeLessThan(verifyLimits.replayMsMax);
  sender.close();
});
