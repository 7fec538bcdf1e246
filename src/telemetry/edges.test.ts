import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClock } from '../kernel/index.ts';
import { createEdges } from './edges.ts';
import { type Receivers, startReceivers } from './otlp/receivers.fixture.ts';
import { spanRow } from './row.fixture.ts';
import { KeptRows } from './rows.fixture.ts';

let receivers: Receivers;
beforeAll(async () => {
  receivers = await startReceivers();
});
afterAll(() => receivers.close());

test('all that comes in is stored, counted and copied; what we count goes with it', async () => {
  const stored = new KeptRows();
  const edges = createEdges({
    sink: stored,
    clock: createClock(),
    counts: () => ({ 'rows received': 7 }),
    export: {
      endpoint: `http://127.0.0.1:${receivers.port}`,
      protocol: 'http/protobuf',
      headers: {},
      signals: ['traces', 'metrics'],
      lanesOnly: true,
    },
  });
  edges.sink.take({ spans: [spanRow(), spanRow({ lane: 'lane_1' })] });
  edges.controls['POST /control/record']?.({ hops: [{ lane: 'lane_1' }], lostHops: 2 });
  expect(edges.status()).toMatchObject({ lostHops: 2, scrapes: [], export: { lost: 0 } });
  expect([stored.rows.spans.length, stored.rows.hops.length]).toEqual([2, 1]);
  expect(edges.page()).toContain('surety_telemetry_events_total{what="rows received"} 7');
  expect(edges.page()).toContain('surety_telemetry_lost_hops_total 2');
  await edges.close();
  expect(receivers.kept.rows.spans.map(({ lane }) => lane)).toEqual(['lane_1']);
  const own = receivers.kept.rows.metrics.filter(({ service }) => service === 'surety');
  expect(own).toContainEqual(
    expect.objectContaining({ name: 'surety_telemetry_events_total', kind: 'counter', value: 7 }),
  );
});
