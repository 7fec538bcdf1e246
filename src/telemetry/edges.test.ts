import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClock, rememberSecret } from '../kernel/index.ts';
import { createEdges } from './edges.ts';
import { type Receivers, startReceivers } from './otlp/receivers.fixture.ts';
import { metricRow, spanRow } from './row.fixture.ts';
import { CollectedRows } from './rows.fixture.ts';

let receivers: Receivers;
beforeAll(async () => {
  receivers = await startReceivers();
});
afterAll(() => receivers.close());

test('telemetry stores, counts and forwards all incoming rows and its own counters', async () => {
  const stored = new CollectedRows();
  const edges = createEdges({
    sink: stored,
    clock: createClock(),
    counts: () => ({ 'rows received': 7 }),
    closedBecause: () => null,
    export: {
      endpoint: `http://127.0.0.1:${receivers.port}`,
      protocol: 'http/protobuf',
      headers: {},
      signals: ['traces', 'metrics'],
      lanesOnly: true,
    },
  });
  edges.sink.take({ spans: [spanRow(), spanRow({ lane: 'lane_1' })] });
  edges.controls['POST /control/record']({ hops: [{ lane: 'lane_1' }], lostHops: 2 });
  expect(edges.status()).toMatchObject({ lostHops: 2, scrapes: [], export: { lost: 0 } });
  expect([stored.rows.spans.length, stored.rows.hops.length]).toEqual([2, 1]);
  expect(edges.page()).toContain('surety_telemetry_events_total{what="rows received"} 7');
  expect(edges.page()).toContain('surety_telemetry_lost_hops_total 2');
  await edges.close();
  // The receiver is not told who forwards them.
  expect(receivers.kept.rows.spans.map(({ lane }) => lane)).toEqual(['unproven:lane_1']);
  const own = receivers.kept.rows.metrics.filter(({ service }) => service === 'surety');
  expect(own).toContainEqual(
    expect.objectContaining({ name: 'surety_telemetry_events_total', kind: 'counter', value: 7 }),
  );
});

// proves: telemetry.secrets
test('forwarded and queried rows contain no secrets, whoever reported them', async () => {
  rememberSecret('walls-have-ears');
  const stored = new CollectedRows();
  const edges = createEdges({
    sink: stored,
    clock: createClock(),
    counts: () => ({}),
    closedBecause: () => null,
    export: {
      endpoint: `http://user:walls-have-ears@127.0.0.1:${receivers.port}`,
      protocol: 'http/protobuf',
      headers: {},
      signals: ['traces', 'metrics', 'logs'],
      lanesOnly: false,
    },
  });
  const said = { service: 'walls-have-ears', instance: 'walls-have-ears' };
  edges.sink.take({
    spans: [spanRow({ ...said, route: '/walls-have-ears', method: 'walls-have-ears' })],
    metrics: [metricRow({ ...said, labels: '{"a":"walls-have-ears"}' })],
  });
  edges.controls['POST /control/record']({
    hops: [{ path: '/walls-have-ears', traceId: 'walls-have-ears' }],
    alerts: [{ note: 'walls-have-ears' }],
    deployments: [{ version: 'walls-have-ears' }],
  });
  expect(edges.page()).toContain('[redacted secret]');
  const told = [edges.page(), edges.status()];
  await edges.close();
  expect(show([told, stored.rows, receivers.kept.rows])).not.toContain('walls-have-ears');
  expect(stored.rows.hops).toHaveLength(1);
});

const show = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one));

test('telemetry answers no query before it knows the secrets', () => {
  const edges = createEdges({
    sink: new CollectedRows(),
    clock: createClock(),
    counts: () => ({}),
    closedBecause: () => 'not yet',
  });
  const record = edges.controls['POST /control/record'];
  expect(() => record({ hops: [] })).toThrowError(
    expect.objectContaining({ code: 'TELEMETRY_CLOSED' }),
  );
});
