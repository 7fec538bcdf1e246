import { telemetryLimits } from '../../limits.ts';
import {
  attributeList,
  type EventDraft,
  type LinkDraft,
  type SpanDraft,
  type TracesReader,
} from '../drafts.ts';
import type { ProtoReader } from './proto-reader.ts';
import { readScopes } from './proto-scopes.ts';
import { readAttribute } from './proto-values.ts';

// Field numbers and wire types of opentelemetry/proto/trace/v1/trace.proto, as they are written.

/** An ExportTraceServiceRequest, span by span. */
export function readProtoTraces(bytes: Buffer, to: TracesReader): void {
  readScopes(bytes, to, (reader, tag) => {
    if (tag !== 0x12) reader.skip(tag);
    else if (to.hasRoom()) to.span(reader.message(emptySpan(), readSpanField));
    else {
      reader.skip(tag);
      to.pass();
    }
  });
}

export function emptySpan(): SpanDraft {
  return {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    traceState: '',
    name: '',
    kind: 0,
    startNs: 0n,
    endNs: 0n,
    statusCode: 0,
    statusMessage: '',
    keys: [],
    values: [],
    dropped: 0,
    events: [],
    links: [],
  };
}

function readSpanField(reader: ProtoReader, tag: number, span: SpanDraft): void {
  if (tag === 0x0a) span.traceId = reader.hex();
  else if (tag === 0x12) span.spanId = reader.hex();
  else if (tag === 0x1a) span.traceState = reader.text();
  else if (tag === 0x22) span.parentSpanId = reader.hex();
  else if (tag === 0x2a) span.name = reader.text();
  else if (tag === 0x30) span.kind = reader.uint32();
  else if (tag === 0x39) span.startNs = reader.fixed64();
  else if (tag === 0x41) span.endNs = reader.fixed64();
  else if (tag === 0x4a) readAttribute(reader, span);
  else if (tag === 0x50) span.dropped = reader.uint32();
  else if (tag === 0x5a && span.events.length < telemetryLimits.telemetryEventsMax)
    span.events.push(reader.message({ ...attributeList(), atNs: 0n, name: '' }, readEventField));
  else if (tag === 0x6a && span.links.length < telemetryLimits.telemetryEventsMax)
    span.links.push(reader.message({ traceId: '', spanId: '' }, readLinkField));
  else if (tag === 0x7a) reader.message(span, readStatusField);
  else reader.skip(tag);
}

function readEventField(reader: ProtoReader, tag: number, event: EventDraft): void {
  if (tag === 0x09) event.atNs = reader.fixed64();
  else if (tag === 0x12) event.name = reader.text();
  else if (tag === 0x1a) readAttribute(reader, event);
  else reader.skip(tag);
}

function readLinkField(reader: ProtoReader, tag: number, link: LinkDraft): void {
  if (tag === 0x0a) link.traceId = reader.hex();
  else if (tag === 0x12) link.spanId = reader.hex();
  else reader.skip(tag);
}

function readStatusField(reader: ProtoReader, tag: number, span: SpanDraft): void {
  if (tag === 0x12) span.statusMessage = reader.text();
  else if (tag === 0x18) span.statusCode = reader.uint32();
  else reader.skip(tag);
}
