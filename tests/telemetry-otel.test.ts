import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markQuery } from '../src/runtime/telemetry/telemetry-feed.ts';
import { drawGraph, serviceGraph, tableOf, traceOf } from '../src/telemetry/index.ts';
import { type Receivers, startReceivers } from '../src/telemetry/otlp/receivers.fixture.ts';
import { ask } from '../src/telemetry/query/ask.ts';
import { readRecord } from '../src/telemetry/record.ts';
import { openTestStore } from '../src/telemetry/store/store.fixture.ts';
import { freePorts } from './harness/free-ports.ts';
import { until } from './harness/until.ts';

const program = fileURLToPath(new URL('fixtures/otel-service.cjs', import.meta.url));
const children: ChildProcess[] = [];
let receivers: Receivers;
let address: string;

/** Two services of OpenTelemetry's own making: edge calls orders. */
beforeAll(async () => {
  receivers = await startReceivers();
  const ports = await freePorts(['edge', 'orders']);
  address = `http://127.0.0.1:${ports.edge}`;
  const next = `http://127.0.0.1:${ports.orders}`;
  children.push(start('orders', ports.orders), start('edge', ports.edge, next));
  await until('both answer', () =>
    fetch(`${address}/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});

afterAll(async () => {
  for (const child of children) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await receivers.close();
});

function start(service: string, port: number, next = ''): ChildProcess {
  const register = '@opentelemetry/auto-instrumentations-node/register';
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    NEXT: next,
    OTEL_SERVICE_NAME: service,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receivers.port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http',
    OTEL_NODE_RESOURCE_DETECTORS: 'env',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  return spawn(process.execPath, ['--require', register, program], { env, stdio: 'ignore' });
}

const traces = {
  keyed: '0af7651916cd43dd8448eb211c80319c',
  plain: '1bf7651916cd43dd8448eb211c80319d',
};

async function request(path: string, trace: string, headers: Record<string, string> = {}) {
  const traceparent = `00-${trace}-b7ad6b7169203331-01`;
  const response = await fetch(address + path, { headers: { traceparent, ...headers } });
  await response.arrayBuffer();
}

// proves: monitoring.otel
test('services with OpenTelemetry appear in the same graph and traces, with their lane', async () => {
  await request('/orders', traces.keyed, { tracestate: 'surety=lane_otel' });
  await request('/broken', traces.plain);
  const mine = (trace: string) =>
    receivers.kept.rows.spans.filter(({ traceId }) => traceId === trace);
  await until(
    'all spans have come',
    () => mine(traces.keyed).length + mine(traces.plain).length === 6,
  );

  const spans = Object.values(traces).flatMap(mine);
  const { store, remove } = await openTestStore();
  await store.write({ spans });
  const query = async (sql: string) => tableOf(await ask(store, { sql }));
  const asker = { query, now: Math.round(performance.timeOrigin + performance.now()) };
  const { edges } = await serviceGraph({}, asker);
  const drawn = edges.map(({ caller, callee, lane, calls, errors }) =>
    [caller, callee, lane, calls, errors].join(' '),
  );
  // Those of a lane are told by the router, which sees each of them; there is none here.
  expect(drawn.sort()).toEqual(['edge orders baseline 1 1', 'outside edge baseline 1 1']);
  expect(drawGraph(edges).length).toBeGreaterThan(0);
  // Surety did not start these services, so they cannot prove who they are.
  const trace = await traceOf(traces.keyed, asker);
  expect(trace.spans.map(({ depth, service, kind, lane }) => [depth, service, kind, lane])).toEqual(
    [
      [0, 'edge', 'server', 'unproven:lane_otel'],
      [1, 'edge', 'client', 'unproven:lane_otel'],
      [2, 'orders', 'server', 'unproven:lane_otel'],
    ],
  );
  await remove();
});

test('the newest row of the store says which ledger entry was reported last', async () => {
  const { store, remove } = await openTestStore();
  const mark = async (view: string) => (await ask(store, { sql: markQuery(view) })).rows;
  expect([await mark('deployments'), await mark('alerts')]).toEqual([[[null]], [[null]]]);
  // As the feed tells them: below the millisecond stands the number of the entry.
  const [before, last] = ['1794750304947004000', '1794750304947005000'];
  const deployments = [{ atNs: last, service: 'orders' }, { atNs: before }];
  await store.write(readRecord({ deployments, alerts: [{ atNs: before, name: 'slow' }] }));
  expect([await mark('deployments'), await mark('alerts')]).toEqual([[[last]], [[before]]]);
  await remove();
});
