import type { JsonObject } from '../../../kernel/index.ts';
import { attributeList, type LogDraft, type LogsReader } from '../drafts.ts';
import { emptyLog } from '../proto/proto-logs.ts';
import {
  addAttributes,
  anyValue,
  bigOf,
  idOf,
  listOf,
  numberOf,
  objectOf,
  parseJson,
  textOf,
} from './json-values.ts';

/** An ExportLogsServiceRequest in JSON, record by record. */
export function readJsonLogs(bytes: Buffer, to: LogsReader): void {
  for (const part of listOf(parseJson(bytes).resourceLogs, 'resourceLogs')) {
    const resource = attributeList();
    addAttributes(objectOf(part.resource, 'resource').attributes, resource);
    to.resource(resource);
    for (const { scope, logRecords } of listOf(part.scopeLogs, 'scopeLogs')) {
      to.scope(textOf(objectOf(scope, 'scope').name));
      for (const record of listOf(logRecords, 'logRecords')) {
        if (to.hasRoom()) to.log(readLog(record));
        else to.pass();
      }
    }
  }
}

function readLog(source: JsonObject): LogDraft {
  const log: LogDraft = {
    ...emptyLog(),
    atNs: bigOf(source.timeUnixNano),
    observedNs: bigOf(source.observedTimeUnixNano),
    severityNumber: numberOf(source.severityNumber),
    severityText: textOf(source.severityText),
    body: anyValue(source.body, 0),
    traceId: idOf(source.traceId),
    spanId: idOf(source.spanId),
    eventName: textOf(source.eventName),
    dropped: numberOf(source.droppedAttributesCount),
  };
  addAttributes(source.attributes, log);
  return log;
}
