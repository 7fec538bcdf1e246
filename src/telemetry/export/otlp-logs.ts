import type { LogRow } from '../rows.ts';
import {
  attributesIn,
  byOrigin,
  fromHex,
  writeAttributes,
  writeResource,
  writeValue,
} from './otlp-values.ts';
import { ProtoWriter } from './proto-writer.ts';

const severities = { '': 0, trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;

/** An ExportLogsServiceRequest. */
export function encodeLogs(logs: readonly LogRow[]): Buffer {
  const writer = new ProtoWriter();
  for (const { origin, rows } of byOrigin(logs))
    writeResource(writer, origin, (scope) => {
      for (const row of rows) scope.message(2, (record) => writeRecord(record, row));
    });
  return writer.finish();
}

function writeRecord(record: ProtoWriter, row: LogRow): void {
  record.fixed64(1, row.atNs).number(2, severities[row.severity]).text(3, row.severity);
  record.message(5, (body) => writeValue(body, row.text, 0));
  writeAttributes(record, 6, { ...attributesIn(row.attributes), 'surety.lane': row.lane });
  if (row.traceId !== '') record.bytes(9, fromHex(row.traceId));
  if (row.spanId !== '') record.bytes(10, fromHex(row.spanId));
  record.fixed64(11, row.atNs);
}
