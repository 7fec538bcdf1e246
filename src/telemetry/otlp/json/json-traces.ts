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

function readSpan(said: JsonObject): SpanDraft {
  const status = objectOf(said.status, 'status');
  const span: SpanDraft = {
    ...emptySpan(),
    traceId: idOf(said.traceId),
    spanId: idOf(said.spanId),
    parentSpanId: idOf(said.parentSpanId),
    traceState: textOf(said.traceState),
    name: textOf(said.name),
    kind: numberOf(said.kind),
    startNs: bigOf(said.startTimeUnixNano),
    endNs: bigOf(said.endTimeUnixNano),
    statusCode: numberOf(status.code),
    statusMessage: textOf(status.message),
    dropped: numberOf(said.droppedAttributesCount),
    events: listOf(said.events, 'events')
      .slice(0, telemetryLimits.telemetryEventsMax)
      .map(readEvent),
    links: listOf(said.links, 'links')
      .slice(0, telemetryLimits.telemetryEventsMax)
      .map(({ traceId, spanId }) => ({ traceId: idOf(traceId), spanId: idOf(spanId) })),
  };
  addAttributes(said.attributes, span);
  return span;
}

function readEvent({ timeUnixNano, name, attributes }: JsonObject): EventDraft {
  const event = { ...attributeList(), atNs: bigOf(timeUnixNano), name: textOf(name) };
  addAttributes(attributes, event);
  return event;
}
