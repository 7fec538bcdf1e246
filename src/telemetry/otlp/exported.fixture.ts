import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { logs, metrics, resources, tracing } from '@opentelemetry/sdk-node';
import type { Signal } from './answer.ts';

const resource = resources.resourceFromAttributes({
  'service.name': 'orders',
  'service.version': '7',
});

/** What the official exporters send for one of everything: protobuf, not packed. */
export async function exportedMessages(): Promise<Readonly<Record<Signal, Buffer>>> {
  const bodies = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    bodies.set(request.url ?? '', Buffer.concat(chunks));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = (signal: Signal): { url: string } => ({ url: `http://127.0.0.1:${port}/${signal}` });
  await exportSpan(new OTLPTraceExporter(url('traces')));
  await exportMetrics(new OTLPMetricExporter(url('metrics')));
  await exportLog(new OTLPLogExporter(url('logs')));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const bodyOf = (signal: Signal): Buffer => bodies.get(`/${signal}`) as Buffer;
  return { traces: bodyOf('traces'), metrics: bodyOf('metrics'), logs: bodyOf('logs') };
}

async function exportSpan(exporter: OTLPTraceExporter): Promise<void> {
  const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
  const provider = new tracing.BasicTracerProvider({ resource, spanProcessors });
  const span = provider.getTracer('scope', '1').startSpan('GET /orders/{id}', {
    kind: SpanKind.SERVER,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/orders/{id}',
      'http.response.status_code': 200,
      whole: -7,
      half: 0.5,
      list: ['a', 'b'],
    },
    links: [{ context: { traceId: 'ab'.repeat(16), spanId: 'ab'.repeat(8), traceFlags: 1 } }],
  });
  span.recordException(new TypeError('price is missing'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' });
  span.end();
  await provider.forceFlush();
  await provider.shutdown();
}

async function exportMetrics(exporter: OTLPMetricExporter): Promise<void> {
  const reader = new metrics.PeriodicExportingMetricReader({ exporter });
  const aggregation = { type: metrics.AggregationType.EXPONENTIAL_HISTOGRAM } as const;
  const views = [{ instrumentName: 'exponential', aggregation }];
  const provider = new metrics.MeterProvider({ resource, readers: [reader], views });
  const meter = provider.getMeter('scope');
  meter.createCounter('counter').add(7, { route: '/a' });
  meter.createGauge('gauge').record(1.5);
  for (const name of ['histogram', 'exponential']) meter.createHistogram(name).record(3);
  await reader.forceFlush();
  await provider.shutdown();
}

async function exportLog(exporter: OTLPLogExporter): Promise<void> {
  const processors = [new logs.SimpleLogRecordProcessor({ exporter })];
  const provider = new logs.LoggerProvider({ resource, processors });
  const body = { text: 'failed', deep: [1, { a: true }] };
  provider.getLogger('scope').emit({ severityNumber: 17, body, attributes: { n: 1 } });
  await provider.forceFlush();
  await provider.shutdown();
}
