import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { createClock } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import {
  IntakeAdmission,
  KnownNames,
  LaneFinder,
  listenGrpc,
  OtlpIntake,
  Senders,
} from '../otlp/index.ts';
import { collectorPrefix, senderCredential, senderHeader } from '../otlp/senders.ts';
import { logRow, metricRow, spanRow } from '../row.fixture.ts';
import { CollectedRows } from '../rows.fixture.ts';
import { createTelemetryServer } from '../server.ts';
import { Exporter, type ExportSettings } from './exporter.ts';

/** Our own receivers, as another telemetry process has them. */
const kept = new CollectedRows();
const names = new KnownNames();
const intake = new OtlpIntake({
  clock: createClock(),
  sink: kept,
  names,
  lanes: new LaneFinder({ names, traceSecret: '' }),
});
const secret = 'ab'.repeat(32);
const senders = new Senders(secret);
const receiver = { intake, admission: new IntakeAdmission(), senders, log: () => undefined };
const http = createTelemetryServer({ receiver, metrics: () => '' });
let grpc: Awaited<ReturnType<typeof listenGrpc>>;
let endpoints: Record<ExportSettings['protocol'], string>;

/** Somebody who answers as he is told. */
let statuses: number[] = [];
const moody = createServer((request, response) => {
  request.resume();
  response.writeHead(statuses.shift() ?? 200).end();
});

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  await Promise.all(
    [http, moody].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')),
  );
  grpc = await listenGrpc(0, receiver);
  endpoints = {
    'http/protobuf': `http://127.0.0.1:${portOf(http)}`,
    grpc: `http://127.0.0.1:${grpc.port}`,
  };
});

afterAll(async () => {
  for (const server of [http, moody]) server.closeAllConnections();
  http.close();
  moody.close();
  await grpc.close();
});

const settings = (more: Partial<ExportSettings> = {}): ExportSettings => ({
  endpoint: `http://127.0.0.1:${portOf(moody)}`,
  protocol: 'http/protobuf',
  headers: { [senderHeader]: senderCredential(secret, `${collectorPrefix}exporter`) },
  signals: ['traces', 'metrics', 'logs'],
  lanesOnly: false,
  ...more,
});

const nowNs = BigInt(Math.round(performance.timeOrigin)) * 1_000_000n;

// proves: monitoring.export
describe.each(['http/protobuf', 'grpc'] as const)('copies exported over %s', (protocol) => {
  test('arrive at another telemetry unchanged, each with its lane', async () => {
    const lane = `lane_${protocol.slice(0, 4)}`;
    const exporter = new Exporter(settings({ endpoint: endpoints[protocol], protocol }));
    const span = spanRow({
      lane,
      startNs: nowNs,
      status: 'error',
      statusMessage: 'it broke',
      parentSpanId: '00f067aa0ba902b7',
      attributes: '{"a":[1,2.5,true],"b":{"c":"d"},"negative":-7}',
    });
    const log = logRow({
      lane,
      atNs: nowNs,
      severity: 'warn',
      text: 'slow',
      traceId: span.traceId,
    });
    const metric = { lane, atNs: nowNs, service: 'pricing', labels: '{"x":"1"}' };
    const metrics = [
      metricRow({ ...metric, name: 'g', kind: 'gauge', value: 1.5 }),
      metricRow({ ...metric, name: 'c', kind: 'counter', value: 3 }),
      metricRow({
        ...metric,
        name: 'h',
        kind: 'histogram',
        value: 9,
        count: 5,
        buckets: '[[0.5,2],[1,3],[null,5]]',
      }),
      metricRow({
        ...metric,
        name: 's',
        kind: 'summary',
        value: 4,
        count: 2,
        buckets: '[[0.5,1],[0.99,3]]',
      }),
    ];
    exporter.see({ spans: [span], logs: [log], metrics });
    await exporter.close();
    expect(exporter.status()).toMatchObject({ sent: 6, lost: 0, waiting: 0, problem: null });
    const of = <Row extends { lane: string }>(rows: readonly Row[]) =>
      rows.filter((row) => row.lane === lane);
    const [arrived] = of(kept.rows.spans);
    const { attributes: _, peer: __, errorSignature: ___, ...same } = span;
    expect(arrived).toMatchObject(same);
    expect(JSON.parse(arrived?.attributes ?? '')).toMatchObject({ negative: -7 });
    expect(of(kept.rows.logs)).toMatchObject([{ text: 'slow', severity: 'warn', lane }]);
    expect(of(kept.rows.metrics).map(({ name }) => name)).toEqual(['g', 'c', 'h', 's']);
    expect(of(kept.rows.metrics)[2]).toMatchObject({
      kind: 'histogram',
      value: 9,
      count: 5,
      buckets: '[[0.5,2],[1,3],[null,5]]',
    });
  });
});

describe('the receiver of exported rows', () => {
  test('gets them later if it is busy or unreachable', async () => {
    statuses = [503, 429, 200];
    const exporter = new Exporter(settings({ signals: ['traces'] }));
    exporter.see({ spans: [spanRow()] });
    await until('it is sent', () => exporter.status().sent === 1);
    await exporter.close();
    expect(exporter.status()).toMatchObject({ lost: 0, problem: null });
  });

  test('does not get rows again that it rejected', async () => {
    statuses = [400];
    const exporter = new Exporter(settings({ signals: ['logs'] }));
    exporter.see({ logs: [logRow(), logRow()] });
    await exporter.close();
    const problem = 'it answered with status 400';
    expect(exporter.status()).toMatchObject({ sent: 0, lost: 2, problem });
  });

  test('gets only rows of lanes, and only the configured signals', async () => {
    const exporter = new Exporter(settings({ signals: ['traces'], lanesOnly: true }));
    exporter.see({ spans: [spanRow(), spanRow({ lane: 'lane_1' })], logs: [logRow()] });
    await exporter.close();
    expect(exporter.status()).toMatchObject({ sent: 1, lost: 0 });
  });

  test('loses rows beyond the row limit while it is away, and they are counted', async () => {
    const exporter = new Exporter(settings({ endpoint: 'http://127.0.0.1:1', signals: ['logs'] }));
    exporter.see({ logs: Array(telemetryLimits.exportRowsQueuedMax).fill(logRow()) });
    expect(exporter.status()).toMatchObject({
      waiting: telemetryLimits.exportRowsQueuedMax,
      lost: 0,
    });
    exporter.see({ logs: [logRow()] });
    expect(exporter.status()).toMatchObject({
      waiting: telemetryLimits.exportRowsQueuedMax,
      lost: 1,
    });
    await exporter.close();
    expect(exporter.status().problem).toContain('ECONNREFUSED');
  });

  test('loses rows beyond the byte limit while it is away', async () => {
    const exporter = new Exporter(settings({ endpoint: 'http://127.0.0.1:1', signals: ['logs'] }));
    const half = logRow({ text: 'x'.repeat(telemetryLimits.exportBytesQueuedMax / 4) });
    exporter.see({ logs: [half, half] });
    expect(exporter.status()).toMatchObject({ waiting: 2, lost: 0 });
    exporter.see({ logs: [logRow()] });
    expect(exporter.status()).toMatchObject({ waiting: 2, lost: 1 });
    await exporter.close();
  });

  test.each([
    [1, (telemetryLimits.exportBytesMax - 4_000) / 4],
    [2, telemetryLimits.exportBytesMax / 4],
  ])('gets two rows in %i messages by their size', async (expected, chars) => {
    const exporter = new Exporter(settings({ signals: ['logs'] }));
    let messages = 0;
    const count = (): void => void messages++;
    moody.on('request', count);
    exporter.see({ logs: Array(2).fill(logRow({ text: 'x'.repeat(chars) })) });
    await exporter.close();
    moody.off('request', count);
    expect([messages, exporter.status().sent]).toEqual([expected, 2]);
  });

  test('gets messages of bounded size', async () => {
    const exporter = new Exporter(settings({ signals: ['logs'] }));
    let messages = 0;
    const count = (): void => void messages++;
    moody.on('request', count);
    exporter.see({ logs: Array(telemetryLimits.exportRowsMax + 1).fill(logRow()) });
    await exporter.close();
    moody.off('request', count);
    expect([messages, exporter.status().sent]).toEqual([2, telemetryLimits.exportRowsMax + 1]);
  });
});
