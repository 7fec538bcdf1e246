import { telemetryLimits } from '../../limits.ts';
import {
  attributeList,
  type EventDraft,
  type LinkDraft,
  type SpanDraft,
  type TracesReader,
} from '../drafts.ts';
import { ProtoReader } from './proto-reader.ts';
import { readAttribute, readResource } from './proto-values.ts';

// Field numbers and wire types of opentelemetry/proto/trace/v1/trace.proto, as they are written.

/** An ExportTraceServiceRequest, span by span. */
export function readProtoTraces(bytes: Buffer, to: TracesReader): void {
  const reader = new ProtoReader(bytes);
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a) readResourceSpans(reader, to);
    else reader.skip(tag);
  }
}

function readResourceSpans(reader: ProtoReader, to: TracesReader): void {
  const outer = reader.enter();
  to.resource(resourceAhead(reader));
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x12) readScopeSpans(reader, to);
    else reader.skip(tag);
  }
  reader.leave(outer);
}

/** Fields may come in any order: the resource is looked for before anything that it is about. */
export function resourceAhead(reader: ProtoReader): ReturnType<typeof attributeList> {
  const resource = attributeList();
  const start = reader.position;
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a) {
      readResource(reader, resource);
      // Nearly always the first, and there is one.
      break;
    }
    reader.skip(tag);
  }
  reader.position = start;
  return resource;
}

function readScopeSpans(reader: ProtoReader, to: TracesReader): void {
  const outer = reader.enter();
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag !== 0x12) reader.skip(tag);
    else if (to.hasRoom()) to.span(readSpan(reader));
    else {
      reader.skip(tag);
      to.pass();
    }
  }
  reader.leave(outer);
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

function readSpan(reader: ProtoReader): SpanDraft {
  const outer = reader.enter();
  const span = emptySpan();
  while (!reader.isDone) readSpanField(reader, reader.tag(), span);
  reader.leave(outer);
  return span;
}

function readSpanField(reader: ProtoReader, tag: number, span: SpanDraft): void {
  switch (tag) {
    case 0x0a:
      span.traceId = reader.hex();
      return;
    case 0x12:
      span.spanId = reader.hex();
      return;
    case 0x1a:
      span.traceState = reader.text();
      return;
    case 0x22:
      span.parentSpanId = reader.hex();
      return;
    case 0x2a:
      span.name = reader.text();
      return;
    case 0x30:
      span.kind = reader.uint32();
      return;
    case 0x39:
      span.startNs = reader.fixed64();
      return;
    case 0x41:
      span.endNs = reader.fixed64();
      return;
    case 0x4a:
      readAttribute(reader, span);
      return;
    case 0x50:
      span.dropped = reader.uint32();
      return;
    case 0x5a:
      if (span.events.length < telemetryLimits.telemetryEventsMax)
        span.events.push(readEvent(reader));
      else reader.skip(tag);
      return;
    case 0x6a:
      if (span.links.length < telemetryLimits.telemetryEventsMax) span.links.push(readLink(reader));
      else reader.skip(tag);
      return;
    case 0x7a:
      readStatus(reader, span);
      return;
    default:
      reader.skip(tag);
  }
}

function readEvent(reader: ProtoReader): EventDraft {
  const outer = reader.enter();
  const event: EventDraft = { ...attributeList(), atNs: 0n, name: '' };
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x09) event.atNs = reader.fixed64();
    else if (tag === 0x12) event.name = reader.text();
    else if (tag === 0x1a) readAttribute(reader, event);
    else reader.skip(tag);
  }
  reader.leave(outer);
  return event;
}

function readLink(reader: ProtoReader): LinkDraft {
  const outer = reader.enter();
  const link: LinkDraft = { traceId: '', spanId: '' };
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a) link.traceId = reader.hex();
    else if (tag === 0x12) link.spanId = reader.hex();
    else reader.skip(tag);
  }
  reader.leave(outer);
  return link;
}

function readStatus(reader: ProtoReader, span: SpanDraft): void {
  const outer = reader.enter();
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x12) span.statusMessage = reader.text();
    else if (tag === 0x18) span.statusCode = reader.uint32();
    else reader.skip(tag);
  }
  reader.leave(outer);
}
