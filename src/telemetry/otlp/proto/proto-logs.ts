import { attributeList, type LogDraft, type LogsReader } from '../drafts.ts';
import { ProtoReader } from './proto-reader.ts';
import { resourceAhead } from './proto-traces.ts';
import { readAttribute, readScope, readValue } from './proto-values.ts';

// Field numbers and wire types of opentelemetry/proto/logs/v1/logs.proto, as they are written.

/** An ExportLogsServiceRequest, record by record. */
export function readProtoLogs(bytes: Buffer, to: LogsReader): void {
  const reader = new ProtoReader(bytes);
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a) readResourceLogs(reader, to);
    else reader.skip(tag);
  }
}

function readResourceLogs(reader: ProtoReader, to: LogsReader): void {
  const outer = reader.enter();
  to.resource(resourceAhead(reader));
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x12) readScopeLogs(reader, to);
    else reader.skip(tag);
  }
  reader.leave(outer);
}

function readScopeLogs(reader: ProtoReader, to: LogsReader): void {
  const outer = reader.enter();
  to.scope('');
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a) to.scope(readScope(reader));
    else if (tag === 0x12 && to.hasRoom()) to.log(readLog(reader));
    else {
      reader.skip(tag);
      if (tag === 0x12) to.pass();
    }
  }
  reader.leave(outer);
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

function readLog(reader: ProtoReader): LogDraft {
  const outer = reader.enter();
  const log = emptyLog();
  while (!reader.isDone) readLogField(reader, reader.tag(), log);
  reader.leave(outer);
  return log;
}

function readLogField(reader: ProtoReader, tag: number, log: LogDraft): void {
  switch (tag) {
    case 0x09:
      log.atNs = reader.fixed64();
      return;
    case 0x10:
      log.severityNumber = reader.uint32();
      return;
    case 0x1a:
      log.severityText = reader.text();
      return;
    case 0x2a:
      log.body = readValue(reader, 0);
      return;
    case 0x32:
      readAttribute(reader, log);
      return;
    case 0x38:
      log.dropped = reader.uint32();
      return;
    case 0x4a:
      log.traceId = reader.hex();
      return;
    case 0x52:
      log.spanId = reader.hex();
      return;
    case 0x59:
      log.observedNs = reader.fixed64();
      return;
    case 0x62:
      log.eventName = reader.text();
      return;
    default:
      reader.skip(tag);
  }
}
