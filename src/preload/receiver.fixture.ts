import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';

/** As much of OTLP as the preload speaks; the numbers are those of its definition. */
const definition = `syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Scope { string name = 1; }
message Status { string message = 2; int32 code = 3; }
message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
  int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; Status status = 15; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Traces { repeated ResourceSpans resource_spans = 1; }
message LogRecord { fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3;
  AnyValue body = 5; repeated KeyValue attributes = 6; bytes trace_id = 9; bytes span_id = 10; }
message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
message Logs { repeated ResourceLogs resource_logs = 1; }
message Point { repeated KeyValue attributes = 7; fixed64 time_unix_nano = 3; double as_double = 4; }
message Gauge { repeated Point data_points = 1; }
message Sum { repeated Point data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
message HistogramPoint { repeated KeyValue attributes = 9; fixed64 time_unix_nano = 3; fixed64 count = 4;
  double sum = 5; }
message Histogram { repeated HistogramPoint data_points = 1; int32 aggregation_temporality = 2; }
message Metric { string name = 1; string unit = 3; Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message Metrics { repeated ResourceMetrics resource_metrics = 1; }`;

const { root } = protobuf.parse(definition);
const types: Readonly<Record<string, protobuf.Type>> = {
  '/v1/traces': root.lookupType('Traces'),
  '/v1/logs': root.lookupType('Logs'),
  '/v1/metrics': root.lookupType('Metrics'),
};

export type Values = Readonly<Record<string, string | number>>;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly failure: string | undefined;
  readonly values: Values;
  readonly resource: Values;
}

export interface ReceivedLine {
  readonly timeNs: bigint;
  readonly text: string;
  readonly severity: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly values: Values;
  readonly resource: Values;
}

export interface ReceivedPoint {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Of a histogram, whose sum is the value. */
  readonly count: number | undefined;
  readonly values: Values;
}

/** A receiver of OTLP that remembers what it was told. */
export class Receiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly lines: ReceivedLine[] = [];
  readonly points: ReceivedPoint[] = [];
  readonly paths: string[] = [];
  readonly server: Server;
  /** What it does instead of answering. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;

  private constructor() {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      this.paths.push(request.url ?? '');
      if (this.answer) return this.answer(request, response);
      // Somebody who looks for a service that had this port before is no concern of any test.
      const type = types[request.url ?? ''];
      if (type) this.#take(type, Buffer.concat(chunks));
      response.statusCode = type ? 200 : 404;
      response.end();
    });
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  #take(type: protobuf.Type, body: Buffer): void {
    // biome-ignore lint/suspicious/noExplicitAny: whatever the definition says
    const told = type.toObject(type.decode(body), { longs: String, arrays: true }) as any;
    for (const { resource, scopeSpans } of told.resourceSpans ?? []) {
      const all = scopeSpans.flatMap(({ spans }: Raw) => spans);
      this.spans.push(...all.map((span: Raw) => spanOf(span, valuesOf(resource))));
    }
    for (const { resource, scopeLogs } of told.resourceLogs ?? []) {
      const all = scopeLogs.flatMap(({ logRecords }: Raw) => logRecords);
      this.lines.push(...all.map((line: Raw) => lineOf(line, valuesOf(resource))));
    }
    for (const { scopeMetrics } of told.resourceMetrics ?? []) {
      this.points.push(...scopeMetrics.flatMap(({ metrics }: Raw) => metrics.flatMap(pointsOf)));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the definition says
type Raw = any;

const hex = (bytes: Buffer | undefined): string => Buffer.from(bytes ?? []).toString('hex');

function valuesOf({ attributes = [] }: Raw): Values {
  const entries = attributes.map(({ key, value }: Raw) => [
    key,
    value.stringValue ?? Number(value.intValue ?? value.doubleValue),
  ]);
  return Object.fromEntries(entries);
}

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

function spanOf(span: Raw, resource: Values): ReceivedSpan {
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    name: span.name ?? '',
    kind: kinds[span.kind] ?? 'internal',
    startNs: BigInt(span.startTimeUnixNano ?? 0),
    endNs: BigInt(span.endTimeUnixNano ?? 0),
    failure: span.status?.code === 2 ? (span.status.message ?? '') : undefined,
    values: valuesOf(span),
    resource,
  };
}

function lineOf(line: Raw, resource: Values): ReceivedLine {
  return {
    timeNs: BigInt(line.timeUnixNano ?? 0),
    text: line.body.stringValue,
    severity: line.severityNumber ?? 0,
    traceId: hex(line.traceId),
    spanId: hex(line.spanId),
    values: valuesOf(line),
    resource,
  };
}

function pointsOf({ name, unit = '', gauge, sum, histogram }: Raw): ReceivedPoint[] {
  return (gauge ?? sum ?? histogram).dataPoints.map((point: Raw) => ({
    name,
    unit,
    value: point.asDouble ?? point.sum ?? 0,
    count: histogram ? Number(point.count ?? 0) : undefined,
    values: valuesOf(point),
  }));
}
