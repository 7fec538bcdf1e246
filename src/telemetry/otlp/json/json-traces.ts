import type { JsonObject } from '../../../kernel/index.ts';
import { telemetryLimits } from '../../limits.ts';
import { attributeList, type EventDraft, type SpanDraft, type TracesReader } from '../drafts.ts';
import { emptySpan } from '../proto/proto-traces.ts';
import {
  addAttributes,
  bigOf,
  idOf,
  listOf,
  numberOf,
  objectOf,
  parseJson,
  textOf,
} from './json-values.ts';

/** An ExportTraceServiceRequest in JSON, span by span. */
export function readJsonTraces(bytes: Buffer, to: TracesReader): void {
  for (const part of listOf(parseJson(bytes).resourceSpans, 'resourceSpans')) {
    const resource = attributeList();
    addAttributes(objectOf(part.resource, 'resource').attributes, resource);
    to.resource(resource);
    for (const scope of listOf(part.scopeSpans, 'scopeSpans')) {
      for (const span of listOf(scope.spans, 'spans')) {
        if (to.hasRoom()) to.span(readSpan(span));
        else to.pass();
      }
    }
  }
}

function readSpan(source: JsonObject): SpanDraft {
  const status = objectOf(source.status, 'status');
  const span: SpanDraft = {
    ...emptySpan(),
    traceId: idOf(source.traceId),
    spanId: idOf(source.spanId),
    parentSpanId: idOf(source.parentSpanId),
    traceState: textOf(source.traceState),
    name: textOf(source.name),
    kind: numberOf(source.kind),
    startNs: bigOf(source.startTimeUnixNano),
    endNs: bigOf(source.endTimeUnixNano),
    statusCode: numberOf(status.code),
    statusMessage: textOf(status.message),
    dropped: numberOf(source.droppedAttributesCount),
    events: listOf(source.events, 'events')
      .slice(0, telemetryLimits.telemetryEventsMax)
      .map(readEvent),
    links: listOf(source.links, 'links')
      .slice(0, telemetryLimits.telemetryEventsMax)
      .map(({ traceId, spanId }) => ({ traceId: idOf(traceId), spanId: idOf(spanId) })),
  };
  addAttributes(source.attributes, span);
  return span;
}

function readEvent({ timeUnixNano, name, attributes }: JsonObject): EventDraft {
  const event = { ...attributeList(), atNs: bigOf(timeUnixNano), name: textOf(name) };
  addAttributes(attributes, event);
  return event;
}
