import { attributeList, type LogDraft, type LogsReader } from '../drafts.ts';
import type { ProtoReader } from './proto-reader.ts';
import { readScopes } from './proto-scopes.ts';
import { readAttribute, readScope, readValue } from './proto-values.ts';

// Field numbers and wire types of opentelemetry/proto/logs/v1/logs.proto, as they are written.

/** An ExportLogsServiceRequest, record by record. */
export function readProtoLogs(bytes: Buffer, to: LogsReader): void {
  const begin = (): void => to.scope('');
  readScopes(
    bytes,
    to,
    (reader, tag) => {
      if (tag === 0x0a) to.scope(readScope(reader));
      else if (tag === 0x12 && to.hasRoom()) to.log(reader.message(emptyLog(), readLogField));
      else {
        reader.skip(tag);
        if (tag === 0x12) to.pass();
      }
    },
    begin,
  );
}

export function emptyLog(): LogDraft {
  return {
    ...attributeList(),
    atNs: 0n,
    observedNs: 0n,
    severityNumber: 0,
    severityText: '',
    body: null,
    traceId: '',
    spanId: '',
    eventName: '',
  };
}

function readLogField(reader: ProtoReader, tag: number, log: LogDraft): void {
  if (tag === 0x09) log.atNs = reader.fixed64();
  else if (tag === 0x10) log.severityNumber = reader.uint32();
  else if (tag === 0x1a) log.severityText = reader.text();
  else if (tag === 0x2a) log.body = readValue(reader, 0);
  else if (tag === 0x32) readAttribute(reader, log);
  else if (tag === 0x38) log.dropped = reader.uint32();
  else if (tag === 0x4a) log.traceId = reader.hex();
  else if (tag === 0x52) log.spanId = reader.hex();
  else if (tag === 0x59) log.observedNs = reader.fixed64();
  else if (tag === 0x62) log.eventName = reader.text();
  else reader.skip(tag);
}
