import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { questions } from './catalogue.ts';
import { QuestionStore } from './question-store.fixture.ts';
import { alert, deployment, hop, log, metric, noon, span, step } from './rows.fixture.ts';

const trace = (digit: string): string => digit.repeat(32);
const lane = 'lane_a';
const gone = { httpStatus: 503, status: 'error', errorSignature: 'pool exhausted' } as const;
const ms = (duration: number) => ({ durationNs: BigInt(duration * 1e6) });
const mb = (value: number) => ({ value: value * 1_048_576 });
const cpuTime = (value: number) => ({ name: 'process.cpu.time', kind: 'counter', value }) as const;

let store: QuestionStore;
beforeAll(async () => {
  store = await QuestionStore.open({
    spans: [
      ...Array.from({ length: 99 }, (_, n) => span(n / 10, { ...ms(n + 1), traceId: trace('1') })),
      span(20, { ...gone, ...ms(500), traceId: trace('2'), requestId: 'req-2' }),
      span(21, { ...gone, lane, traceId: trace('3'), cpuUs: 250 }),
      span(22, { lane, traceId: trace('4'), cpuUs: 750 }),
      span(-7_200, { service: 'pricing', route: '/old', traceId: trace('5') }),
      span(23, { service: 'pricing', route: '/new', traceId: trace('6') }),
      step('c', '', { kind: 'client', peer: 'bank:443', ...ms(30), traceId: trace('2') }),
    ],
    logs: [
      log(-7_200, 'quoted 1', { service: 'pricing' }),
      log(1, 'quoted 2', { service: 'pricing' }),
      log(2, 'overflow 3', { service: 'pricing', severity: 'error' }),
      log(3, 'slow 4', { service: 'pricing', severity: 'warn', lane }),
      log(4, 'in a trace', { traceId: trace('2') }),
    ],
    metrics: [
      metric(0, mb(50)),
      metric(30, mb(80)),
      metric(0, cpuTime(1)),
      metric(20, cpuTime(11)),
      metric(1, { name: 'queue.length', unit: '1', value: 3, labels: '{"queue":"a"}' }),
    ],
    hops: [
      hop(5, { ...ms(70), traceId: trace('3') }),
      hop(6, { ...ms(90), callee: 'fees', caller: 'orders', status: 500, traceId: trace('3') }),
      hop(-7_200, { callee: 'fees', caller: 'orders', lane: 'lane_old' }),
      hop(7, { callee: 'fees', caller: '' }),
    ],
    deployments: [
      deployment(-10, { version: 'v2', previous: 'v1', note: 'faster' }),
      deployment(2.5, { service: 'pricing', version: 'abc123' }),
    ],
    alerts: [alert(40, { name: 'slow' })],
  });
});
afterAll(() => store.remove());

describe('a ready-made question answers', () => {
  test('which part of the requests failed', async () => {
    const answer = await store.ask('error-rate', { service: 'orders' });
    expect(answer.rows).toEqual([
      {
        service: 'orders',
        lane: 'baseline',
        route: 'GET /orders',
        requests: 100,
        errors: 1,
        error_percent: 1,
      },
      {
        service: 'orders',
        lane,
        route: 'GET /orders',
        requests: 2,
        errors: 1,
        error_percent: 50,
      },
    ]);
    expect(answer.said).toBe('2 of 102 requests failed. Most: orders GET /orders, 1 % of 100.');
    const healthy = await store.ask('error-rate', { service: 'pricing' });
    expect(healthy.said).toBe('None of 1 request failed.');
    expect(await store.rows('error-rate', { lane: 'baseline', route: '/new' })).toHaveLength(1);
  });

  test('how long requests take', async () => {
    const given = { service: 'orders', lane: 'baseline' };
    const answer = await store.ask('latency', given);
    expect(answer.rows).toMatchObject([
      { requests: 100, p50_ms: 50.5, p99_ms: 103.01, max_ms: 500, slowest_trace: trace('2') },
    ]);
    expect(answer.said).toContain('orders GET /orders, 103.01 ms of 100 requests');
  });

  test('which statuses requests got', async () => {
    const rows = await store.rows('requests-by-status', { service: 'orders', lane: 'baseline' });
    expect(rows).toMatchObject([
      { status: 200, requests: 99, percent: 99 },
      { status: 503, requests: 1, percent: 1, newest_trace: trace('2') },
    ]);
  });

  test('which errors there were, with an example of each', async () => {
    const answer = await store.ask('errors');
    expect(answer.rows).toMatchObject([
      { service: 'orders', lane, error: 'pool exhausted', times: 1, newest_trace: trace('3') },
      { service: 'orders', lane: 'baseline', times: 1, newest_trace: trace('2') },
      { service: 'pricing', seen_in: 'log', error: 'overflow #', times: 1 },
    ]);
  });

  test('which calls take longest', async () => {
    const answer = await store.ask('slowest-hops');
    expect(answer.rows).toMatchObject([
      { caller: 'orders', callee: 'fees', lane, calls: 1, errors: 1, p99_ms: 90 },
      { caller: 'edge', callee: 'orders', lane, p99_ms: 70, slowest_trace: trace('3') },
      { caller: 'orders', callee: 'bank:443', lane: 'baseline', p99_ms: 30 },
      { caller: 'outside', callee: 'fees', lane },
    ]);
    expect(await store.rows('slowest-hops', { service: 'edge' })).toHaveLength(1);
  });

  test('what happened in one request, by trace id or request id', async () => {
    const byTrace = await store.rows('trace', { trace: trace('2') });
    expect(byTrace).toMatchObject([
      { kind: 'client', peer: 'bank:443', offset_ms: 0 },
      { kind: 'server', http_status: 503, offset_ms: 20_000 },
    ]);
    expect(await store.rows('trace', { request: 'req-2' })).toEqual(byTrace);
    const kept = await store.rows('trace', { trace: trace('3') });
    expect(kept.map(({ kind, service }) => [kind, service])).toEqual([
      ['hop', 'orders'],
      ['hop', 'fees'],
      ['server', 'orders'],
    ]);
  });

  test('which requests were slow or had a failure', async () => {
    const [slowest] = await store.rows('slow-traces');
    expect(slowest).toMatchObject({ trace_id: trace('2'), duration_ms: 20_500, spans: 2 });
    const failed = await store.rows('failed-traces', { lane });
    expect(failed).toMatchObject([{ trace_id: trace('3'), lane, errors: 1 }]);
    expect(await store.rows('slow-traces', { service: 'pricing' })).toHaveLength(1);
  });

  test.each([
    [{}, ['quoted 2', 'overflow 3', 'slow 4', 'in a trace']],
    [{ severity: 'warn' }, ['overflow 3', 'slow 4']],
    [{ matching: 'OVER' }, ['overflow 3']],
    [{ lane }, ['slow 4']],
    [{ trace: trace('2') }, ['in a trace']],
    [{ service: 'pricing', since: '3h', rowsMax: 2 }, ['overflow 3', 'slow 4']],
    [{ matching: "100%_'; SELECT 1 --" }, []],
  ])('what services logged: %j', async (given, lines) => {
    expect((await store.rows('logs', given)).map(({ text }) => text)).toEqual(lines);
  });

  test.each([
    [{}, ['in a trace', 'overflow #', 'slow #']],
    [{ since: '10h' }, ['in a trace', 'overflow #', 'quoted #', 'slow #']],
    [{ deployment: 'pricing' }, ['in a trace', 'slow #']],
    [{ deployment: 'v2', service: 'pricing' }, ['overflow #', 'slow #']],
    [{ lane }, ['slow #']],
    [{ lane, severity: 'error' }, []],
  ])('which log lines are new: %j', async (given, signatures) => {
    const rows = await store.rows('new-log-signatures', given);
    expect(rows.map(({ signature }) => signature).sort()).toEqual(signatures);
  });

  test('what changed', async () => {
    const rows = await store.rows('what-changed', { since: '1h' });
    expect(rows.map(({ what, service, detail }) => `${what}, ${service}: ${detail}`)).toEqual([
      'alert firing, orders: slow',
      'new route, pricing: GET /new',
      'new caller, fees: outside',
      'new log line, pricing: slow #',
      'promotion, pricing: to abc123 from v1 by coder',
      'new log line, pricing: overflow #',
      'new service, orders: first seen',
      'promotion, orders: to v2 from v1 by coder: faster',
    ]);
  });

  test('how much memory and CPU services use', async () => {
    const [memory] = await store.rows('memory');
    expect(memory).toMatchObject({ service: 'orders', now_mb: 80, first_mb: 50, max_mb: 80 });
    expect((await store.ask('memory')).said).toContain('orders grew most: from 50 to 80 MB');
    expect(await store.rows('cpu')).toMatchObject([
      { service: 'orders', lane: 'baseline', core_percent: 50 },
      { service: 'orders', lane, requests: 2, us_each: 500 },
    ]);
  });

  test('which services report', async () => {
    const rows = await store.rows('services');
    expect(rows).toMatchObject([
      { service: 'orders', spans: 103, log_lines: 1, metric_points: 5, lanes: 1 },
      { service: 'pricing', spans: 2, log_lines: 4, metric_points: 0 },
    ]);
  });

  test('which metrics exist and how one developed', async () => {
    const names = await store.rows('metric-names');
    expect(names).toMatchObject([
      { name: 'process.cpu.time', series: 1, points: 2 },
      { name: 'process.memory.usage', unit: 'By', kind: 'gauge', services: 'orders' },
      { name: 'queue.length' },
    ]);
    const [memory] = await store.rows('metric', { metric: 'process.memory', since: '80s' });
    expect(memory).toMatchObject({ last: 80 * 1_048_576, step_seconds: 5 });
    expect(memory).toMatchObject({ steps: [4, 10], values: [50, 80].map((n) => n * 1_048_576) });
    const [cpu] = await store.rows('metric', { metric: 'process.cpu', since: '80s' });
    expect(cpu).toMatchObject({ kind: 'counter', values: [0.5] });
  });
});

// proves: telemetry.questions
test('every answer contains its question, the time range, and the views searched', async () => {
  const needed = { metric: 'q', trace: trace('2') };
  for (const { name, takes, needs = [] } of questions) {
    const given = needs.slice(0, 1).map((parameter) => [parameter, needed[parameter as 'trace']]);
    const answer = await store.ask(name, { ...Object.fromEntries(given), since: '1h' });
    expect(answer, name).toMatchObject({ from: noon + 60_000 - 3_600_000, isEmpty: false });
    expect(takes.length, name).toBeGreaterThan(0);
    expect(answer.searched, name).toMatch(/\(\d+ rows from 2026-11-15T/);
    const again = await store.asker.query(answer.query);
    expect(again.rows.length, name).toBe(answer.rows.length);
  }
});
