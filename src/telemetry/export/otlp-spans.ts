import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { SpanRow } from '../rows.ts';
import { attributesIn, byOrigin, fromHex, writeAttributes, writeResource } from './otlp-values.ts';
import { ProtoWriter } from './proto-writer.ts';

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;
const codes = { unset: 0, ok: 1, error: 2 } as const;

/** An ExportTraceServiceRequest. */
export function encodeSpans(spans: readonly SpanRow[]): Buffer {
  const writer = new ProtoWriter();
  for (const { origin, rows } of byOrigin(spans))
    writeResource(writer, origin, (scope) => {
      for (const row of rows) scope.message(2, (span) => writeSpan(span, row));
    });
  return writer.finish();
}

function writeSpan(span: ProtoWriter, row: SpanRow): void {
  span.bytes(1, fromHex(row.traceId)).bytes(2, fromHex(row.spanId));
  if (row.parentSpanId !== '') span.bytes(4, fromHex(row.parentSpanId));
  span.text(5, row.name).number(6, kinds[row.kind]);
  span.fixed64(7, row.startNs).fixed64(8, row.startNs + row.durationNs);
  writeAttributes(span, 9, { ...attributesIn(row.attributes), ...ownAttributes(row) });
  for (const event of eventsIn(row.events)) span.message(11, (one) => writeEvent(one, event));
  span.message(15, (status) => status.text(2, row.statusMessage).number(3, codes[row.status]));
}

/** The columns of a row, back under their attribute names of OpenTelemetry. */
function ownAttributes(row: SpanRow) {
  return {
    'http.request.method': row.method,
    'http.route': row.route,
    'http.response.status_code': row.httpStatus,
    'http.request.body.size': row.requestBytes,
    'http.response.body.size': row.responseBytes,
    'peer.service': row.peer,
    'surety.request_id': row.requestId,
    'surety.error_signature': row.errorSignature,
    'surety.cpu_us': row.cpuUs,
    'surety.calls': row.calls,
    'surety.lane': row.lane,
  };
}

function eventsIn(text: string): Json[] {
  try {
    const events = JSON.parse(text) as Json;
    return Array.isArray(events) ? events : [];
  } catch {
    return [];
  }
}

function writeEvent(writer: ProtoWriter, event: Json): void {
  if (!isJsonObject(event)) return;
  writer.fixed64(1, nanosecondsOf(event.at)).text(2, String(event.name ?? ''));
  if (isJsonObject(event.attributes)) writeAttributes(writer, 3, event.attributes);
}

/** Stored as digits, as a number, or as a readable time. */
function nanosecondsOf(at: Json | undefined): bigint {
  if (typeof at === 'string' && /^\d+$/.test(at)) return BigInt(at);
  const ms = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return Number.isFinite(ms) ? BigInt(ms) * 1_000_000n : 0n;
}
