import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { telemetryLimits } from '../limits.ts';
import { askPrometheus, builtInQueries, type PrometheusServer } from './remote.ts';

/** Stands for a server's faults; a real Prometheus is asked in tests/prometheus.test.ts. */
const server = createServer((request, response) => void answer(request, response));
const asked: { path: string; form: Record<string, string>; authorization: string | undefined }[] =
  [];
let reply: { status: number; body: string } = { status: 200, body: '' };
let url = '';

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = Object.fromEntries(new URLSearchParams(await text(request)));
  const { authorization } = request.headers;
  asked.push({ path: request.url ?? '', form, authorization });
  response.writeHead(reply.status).end(reply.body);
}

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const at = (path = '', more: Partial<PrometheusServer> = {}): PrometheusServer => ({
  url: url + path,
  headers: {},
  queries: {},
  ...more,
});

function replyWith(result: unknown, resultType = 'vector', more: object = {}): void {
  const data = { resultType, result };
  reply = { status: 200, body: JSON.stringify({ status: 'success', data, ...more }) };
}

const until = 1_800_000_000_000;

describe('a Prometheus server', () => {
  test('is queried by name or in PromQL, and the answer contains the exact query', async () => {
    replyWith([{ metric: { service: 'a' }, value: [1_800_000_000.5, '0.25'] }], 'vector', {
      warnings: ['careful'],
    });
    const named = await askPrometheus(at(), { query: 'latency', until });
    expect(named).toMatchObject({
      query: builtInQueries.latency,
      name: 'latency',
      url: `${url}/api/v1/query`,
      since: null,
      until,
      seriesFound: 1,
      warnings: ['careful'],
    });
    expect(named.series).toEqual([
      { labels: { service: 'a' }, points: [{ at: 1_800_000_000_500, value: '0.25' }] },
    ]);
    expect(asked.at(-1)?.form).toEqual({ query: builtInQueries.latency, time: '1800000000' });
    expect(await askPrometheus(at(), { query: 'up', until })).toMatchObject({ name: null });
  });

  test('may have queries of its own under these names, a path, and a user', async () => {
    replyWith([]);
    const user = at('/prom/', {
      url: `${url.replace('://', '://me:pa%20ss@')}/prom`,
      queries: { latency: 'mine' },
    });
    const found = await askPrometheus(user, { query: 'latency', until });
    expect(found).toMatchObject({ query: 'mine', url: `${url}/prom/api/v1/query` });
    const basic = Buffer.from('me:pa ss').toString('base64');
    expect(asked.at(-1)).toMatchObject({
      authorization: `Basic ${basic}`,
      path: '/prom/api/v1/query',
    });
    await askPrometheus(
      { ...user, headers: { authorization: 'Bearer x' } },
      { query: 'up', until },
    );
    expect(asked.at(-1)).toMatchObject({ authorization: 'Bearer x' });
  });

  test('answers over a range with a readable number of points', async () => {
    replyWith(
      [
        {
          metric: {},
          values: [
            [1, 'NaN'],
            [2, '+Inf'],
          ],
        },
      ],
      'matrix',
    );
    const range = await askPrometheus(at(), { query: 'up', since: until - 3_600_000, until });
    expect(range).toMatchObject({ stepMs: 60_000, series: [{ points: [{ value: 'NaN' }, {}] }] });
    expect(asked.at(-1)).toMatchObject({ path: '/api/v1/query_range', form: { step: '60' } });
    replyWith([1.5, '7'], 'scalar');
    const scalar = await askPrometheus(at(), { query: '7', until });
    expect(scalar.series).toEqual([{ labels: {}, points: [{ at: 1_500, value: '7' }] }]);
  });

  test('gives at most as many rows and bytes as the limits allow', async () => {
    const one = (points: number) => ({
      metric: {},
      values: Array.from({ length: points }, () => [1, '1']),
    });
    replyWith(Array(telemetryLimits.prometheusSeriesMax).fill(one(1)), 'matrix');
    const fits = await askPrometheus(at(), { query: 'up', until });
    expect(fits.series).toHaveLength(fits.seriesFound);
    replyWith(Array(telemetryLimits.prometheusSeriesMax + 1).fill(one(1)), 'matrix');
    const cut = await askPrometheus(at(), { query: 'up', until });
    expect(cut.series).toHaveLength(telemetryLimits.prometheusSeriesMax);
    expect(cut.seriesFound).toBe(telemetryLimits.prometheusSeriesMax + 1);
    const sizes = [telemetryLimits.prometheusPointsMax, telemetryLimits.prometheusPointsMax + 1];
    replyWith(sizes.map(one), 'matrix');
    const points = (await askPrometheus(at(), { query: 'up', until })).series;
    expect(points.map((series) => series.points.length)).toEqual([sizes[0], sizes[0]]);
    reply = { status: 200, body: 'x'.repeat(telemetryLimits.prometheusAnswerBytesMax + 1) };
    const reason = `the answer is larger than ${telemetryLimits.prometheusAnswerBytesMax} bytes`;
    const values = { query: 'up', url: `${url}/api/v1/query`, reason };
    const fault = { code: 'PROMETHEUS_UNREACHABLE', values };
    await expect(askPrometheus(at(), { query: 'up', until })).rejects.toMatchObject(fault);
  });

  test.each([
    [
      400,
      '{"status":"error","errorType":"bad_data","error":"parse error: x"}',
      'bad_data: parse error: x',
    ],
    [502, '<h1>bad gateway</h1>', '<h1>bad gateway</h1>'],
    [200, '[]', '[]'],
    [302, '', 'it said nothing'],
  ])('that answers %i %s is quoted in full', async (status, body, reason) => {
    reply = { status, body };
    await expect(askPrometheus(at(), { query: 'sum(', until })).rejects.toMatchObject({
      code: 'PROMETHEUS_REFUSED',
      values: { query: 'sum(', status, reason, url: `${url}/api/v1/query` },
    });
  });

  test('that is unreachable is named in the fault', async () => {
    const away = { ...at(), url: 'http://127.0.0.1:1' };
    await expect(askPrometheus(away, { query: 'up', until })).rejects.toMatchObject({
      code: 'PROMETHEUS_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
