import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClock } from '../src/kernel/index.ts';
import { laneLabel } from '../src/telemetry/lane-key.ts';
import { telemetryLimits } from '../src/telemetry/limits.ts';
import { MetricsPage } from '../src/telemetry/prometheus/metrics-page.ts';
import { builtInQueries } from '../src/telemetry/prometheus/remote.ts';
import { metricRow, spanRow } from '../src/telemetry/rows.fixture.ts';
import { isDeep } from './harness/deep.ts';
import { type LocalServer, startLocalServer } from './harness/local-server.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { connectOwn } from './harness/mcp/own-client.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const program = '/usr/bin/prometheus';
const isMissing = !existsSync(program) && !process.env.CI;
if (isMissing) process.stdout.write(`- no real Prometheus is asked: there is no ${program} here\n`);

const page = new MetricsPage(createClock());
const server = createServer((_, response) => {
  // Each time it looks, more has happened: a rate needs that.
  const failed = spanRow({ httpStatus: 503, lane: 'lane_1', durationNs: 40_000_000n });
  page.see({ spans: [spanRow(), failed], metrics: [metricRow({ value: 7_000_000 })] });
  const { contentType, text } = page.print([]);
  response.writeHead(200, { 'content-type': contentType }).end(text);
});

// proves: monitoring.prometheus
/** A real Prometheus that reads our page, and a workspace that asks it. */
describe.skipIf(isMissing || !isDeep)('a real Prometheus', () => {
  let prometheus: LocalServer;
  let workspace: Workspace;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    prometheus = await startLocalServer(program, (own, directory) => {
      const job = { job_name: 'surety', static_configs: [{ targets: [`127.0.0.1:${port}`] }] };
      const config = { global: { scrape_interval: '200ms' }, scrape_configs: [job] };
      writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(config));
      return [
        `--config.file=${join(directory, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${own}`,
      ];
    });
    const url = `http://127.0.0.1:${prometheus.port}`;
    const queries = '{ failing: \'sum(http_requests_total{status=~"5.."})\' }';
    const config = `telemetry:\n  prometheus: { url: '${url}', queries: ${queries} }\nagents:\n  coder: { tools: [] }\n`;
    workspace = new Workspace({ config });
    await workspace.up();
  });

  afterAll(async () => {
    await workspace?.[Symbol.asyncDispose]();
    await prometheus?.stop();
    server.closeAllConnections();
    server.close();
  });

  const ask = (query: string, more: { since?: string } = {}) =>
    workspace.client().call('POST /v1/prometheus/query', { body: { query, ...more } });

  test.each([
    ['error-rate', { status: '503', lane: laneLabel('lane_1'), service: 'orders' }],
    ['latency', { service: 'orders', route: '/orders', status: '200' }],
    ['memory', { service: 'orders', instance: expect.any(String) }],
  ])('scrapes Surety and answers %s as documented', async (name, labels) => {
    const found = await until('it has seen enough', async () => {
      const answer = await ask(name);
      const series = answer.series.find((one) =>
        Object.entries(labels).every(
          ([label, value]) => typeof value !== 'string' || one.labels[label] === value,
        ),
      );
      return Number(series?.points[0]?.value) > 0 ? { answer, series } : undefined;
    });
    expect(found.answer).toMatchObject({ name, query: builtInQueries[name], warnings: [] });
    expect(found.series?.labels).toMatchObject(labels);
  });

  test('answers queries of surety.yaml by name, over a range, and on the command line', async () => {
    await until(
      'requests failed',
      async () => Number((await ask('failing')).series[0]?.points[0]?.value) > 0,
    );
    const range = await ask('failing', { since: '1m' });
    expect(range).toMatchObject({ resultType: 'matrix', stepMs: 1_000 });
    const { value } = await workspace.surety('metrics', '--prometheus', 'memory');
    expect(value).toMatchObject({ query: builtInQueries.memory, seriesFound: 1 });
    const listed = await workspace.surety('metrics', '--prometheus');
    expect(JSON.stringify(listed.value)).toContain('failing');
  });

  test('answers an agent over MCP with the exact query', async () => {
    const client = await connectOwn(workspace, 'coder', 'modern', 'http');
    const answer = await client.callTool({
      name: 'query_prometheus',
      arguments: { query: 'memory' },
    });
    const query = `${builtInQueries.memory}{lane=~""}`;
    expect(answer.structuredContent).toMatchObject({ query, seriesFound: 1 });
    const refused = await client.callTool({
      name: 'query_prometheus',
      arguments: { query: 'sum(' },
    });
    expect([refused.isError, JSON.stringify(refused)]).toEqual([
      true,
      expect.stringContaining('could not be parsed'),
    ]);
  });

  // proves: monitoring.lanes
  test('tells an agent nothing about lanes of others', async () => {
    const lanesSeen = async (query: string): Promise<(string | undefined)[]> => {
      const asked = asAgent(workspace, 'coder').call('POST /v1/prometheus/query', {
        body: { query },
      });
      return (await asked).series.map(({ labels }) => labels.lane ?? '');
    };
    const byLane = 'sum by (lane) (http_requests_total)';
    await until('both are there', async () => (await ask(byLane)).series.length === 2);
    expect(await lanesSeen(byLane)).toEqual(['']);
    expect(await lanesSeen(`http_requests_total{lane="${laneLabel('lane_1')}"}`)).toEqual([]);
    for (const query of [
      '{__name__=~"http_req.*_total",}',
      'max_over_time(sum without (status) (rate(http_requests_total[1m]))[5m:1m] offset -1s)',
      'http_requests_total / on () group_left () sum(up or vector(1)) > bool 1e-3',
      'label_replace(http_requests_total @ end(), "other", "$1", `lane`, \'(.*)\')',
    ])
      expect(await lanesSeen(query)).not.toContain(laneLabel('lane_1'));
    await expect(lanesSeen('up{')).rejects.toMatchObject({ code: 'PROMETHEUS_NOT_NARROWED' });
  });

  test('is quoted in full when it refuses a query', async () => {
    await expect(ask('sum(')).rejects.toMatchObject({
      code: 'PROMETHEUS_REFUSED',
      message: expect.stringMatching(/"sum\(".*bad_data: .*parse error/),
    });
  });

  test('gets no query longer than the limit and no invalid time', async () => {
    const query = (chars: number) => `up${' '.repeat(chars - 2)}`;
    expect(await ask(query(telemetryLimits.prometheusQueryCharsMax))).toMatchObject({ name: null });
    const refused = { code: 'REQUEST_INVALID' };
    await expect(ask(query(telemetryLimits.prometheusQueryCharsMax + 1))).rejects.toMatchObject(
      refused,
    );
    await expect(ask('up', { since: 'yesterday-ish' })).rejects.toMatchObject(refused);
  });
});
