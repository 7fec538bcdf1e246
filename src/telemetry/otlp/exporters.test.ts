import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPLogExporter as LogsByGrpc } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as LogsByJson } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as LogsByProto } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as MetricsByGrpc } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as MetricsByJson } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as MetricsByProto } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as TracesByGrpc } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as TracesByJson } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as TracesByProto } from '@opentelemetry/exporter-trace-otlp-proto';
import { logs, metrics, resources, tracing } from '@opentelemetry/sdk-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogRow, MetricRow, SpanRow } from '../rows.ts';
import { type Receivers, startReceivers } from './receivers.fixture.ts';

let receivers: Receivers;
beforeAll(async () => {
  receivers = await startReceivers();
});
afterAll(() => receivers.close());

const resource = (way: string): resources.Resource =>
  resources.resourceFromAttributes({ 'service.name': way, 'surety.lane': 'lane_1' });

const http = (path: string): { url: string; compression: never } => ({
  url: `http://127.0.0.1:${receivers.port}/v1/${path}`,
  compression: 'gzip' as never,
});
const grpc = (): { url: string; compression: never } => ({
  url: `http://127.0.0.1:${receivers.grpcPort}`,
  compression: 'gzip' as never,
});

const ways = ['http/protobuf', 'http/json', 'grpc'] as const;
type Way = (typeof ways)[number];

const count = 2_000;

async function sendSpans(way: Way): Promise<void> {
  const exporter = {
    'http/protobuf': () => new TracesByProto(http('traces')),
    'http/json': () => new TracesByJson(http('traces')),
    grpc: () => new TracesByGrpc(grpc()),
  }[way]();
  const provider = new tracing.BasicTracerProvider({
    resource: resource(way),
    spanProcessors: [new tracing.BatchSpanProcessor(exporter, { maxQueueSize: 10_000 })],
  });
  const tracer = provider.getTracer('test');
  const parent = tracer.startSpan('GET /orders/{id}', {
    kind: SpanKind.SERVER,
    attributes: {
      'http.request.method': 'GET',
      'http.response.status_code': 500,
      list: ['a', 'b'],
    },
  });
  const within = trace.setSpan(context.active(), parent);
  for (let n = 1; n < count; n++) tracer.startSpan(`child ${n}`, {}, within).end();
  parent.recordException(new TypeError('price of 7 is missing'));
  parent.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' });
  parent.end();
  await provider.forceFlush();
  await provider.shutdown();
}

async function sendMetrics(way: Way): Promise<void> {
  const exporter = {
    'http/protobuf': () => new MetricsByProto(http('metrics')),
    'http/json': () => new MetricsByJson(http('metrics')),
    grpc: () => new MetricsByGrpc(grpc()),
  }[way]();
  const reader = new metrics.PeriodicExportingMetricReader({ exporter });
  const aggregation = { type: metrics.AggregationType.EXPONENTIAL_HISTOGRAM } as const;
  const provider = new metrics.MeterProvider({
    resource: resource(way),
    readers: [reader],
    views: [{ instrumentName: 'exponential', aggregation }],
  });
  const meter = provider.getMeter('test');
  meter.createCounter('counter').add(7, { route: '/a' });
  meter.createUpDownCounter('upDown').add(-7);
  meter.createGauge('gauge').record(1.5);
  for (const name of ['histogram', 'exponential']) {
    const histogram = meter.createHistogram(name, { unit: 'ms' });
    for (const value of [1, 2, 3, 400]) histogram.record(value);
  }
  await reader.forceFlush();
  await provider.shutdown();
}

async function sendLogs(way: Way): Promise<void> {
  const exporter = {
    'http/protobuf': () => new LogsByProto(http('logs')),
    'http/json': () => new LogsByJson(http('logs')),
    grpc: () => new LogsByGrpc(grpc()),
  }[way]();
  const processors = [new logs.BatchLogRecordProcessor({ exporter, maxQueueSize: 10_000 })];
  const provider = new logs.LoggerProvider({ resource: resource(way), processors });
  const logger = provider.getLogger('test');
  for (let n = 0; n < count; n++) {
    logger.emit({ severityNumber: 17, body: `order ${n} failed`, attributes: { n } });
  }
  logger.emit({ severityNumber: 9, body: { deep: [1, { a: true }] } });
  await provider.forceFlush();
  await provider.shutdown();
}

describe.each(ways)('the official exporters over %s lose no', (way) => {
  const of = <Row extends { service: string }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ service }) => service === way);

  // proves: telemetry.otlp
  test('traces', async () => {
    await sendSpans(way);
    const spans: SpanRow[] = of(receivers.kept.rows.spans);
    expect(spans).toHaveLength(count);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(count);
    expect(new Set(spans.map(({ traceId, lane }) => `${traceId} ${lane}`)).size).toBe(1);
    const parent = spans.find(({ kind }) => kind === 'server');
    expect(parent).toMatchObject({
      parentSpanId: '',
      status: 'error',
      statusMessage: 'failed',
      method: 'GET',
      httpStatus: 500,
      errorSignature: 'TypeError: price of * is missing',
      attributes: '{"list":["a","b"]}',
    });
    const children = spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
    expect(children).toHaveLength(count - 1);
    expect(spans.every(({ durationNs }) => durationNs >= 0n)).toBe(true);
  });

  // proves: telemetry.otlp
  test('metrics', async () => {
    await sendMetrics(way);
    const found = new Map<string, MetricRow>(
      of(receivers.kept.rows.metrics).map((row) => [row.name, row]),
    );
    const counter = { kind: 'counter', value: 7, labels: '{"route":"/a"}', isDelta: false };
    expect(found.get('counter')).toMatchObject(counter);
    expect(found.get('upDown')).toMatchObject({ kind: 'gauge', value: -7 });
    expect(found.get('gauge')).toMatchObject({
      kind: 'gauge',
      value: 1.5,
      lane: 'unproven:lane_1',
    });
    const histogram = found.get('histogram');
    expect(histogram).toMatchObject({ kind: 'histogram', value: 406, count: 4, unit: 'ms' });
    const buckets = JSON.parse(histogram?.buckets ?? '') as [number | null, number][];
    expect(buckets.find(([upper]) => upper === 5)).toEqual([5, 3]);
    expect(buckets.at(-1)).toEqual([null, 4]);
    const exponential = JSON.parse(found.get('exponential')?.buckets ?? '') as [number, number][];
    expect(exponential.map(([, upTo]) => upTo)).toEqual([1, 2, 3, 4, 4]);
    [1, 2, 3, 400].forEach((value, index) => {
      const upper = exponential[index]?.[0] ?? 0;
      expect(upper).toBeGreaterThanOrEqual(value);
      expect(upper).toBeLessThan(value * 1.2);
    });
  });

  // proves: telemetry.otlp
  test('logs', async () => {
    await sendLogs(way);
    const rows: LogRow[] = of(receivers.kept.rows.logs);
    expect(rows).toHaveLength(count + 1);
    expect(rows[7]).toMatchObject({
      text: 'order 7 failed',
      signature: 'order * failed',
      severity: 'error',
      lane: 'unproven:lane_1',
      attributes: '{"n":7,"otel.scope.name":"test"}',
    });
    expect(rows.at(-1)).toMatchObject({ text: '{"deep":[1,{"a":true}]}', severity: 'info' });
  });
});
