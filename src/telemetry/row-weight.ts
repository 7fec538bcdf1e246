import type { HopRow, LogRow, MetricRow, SpanRow, TelemetryRows } from './rows.ts';

/** The weight of a row without its texts. */
const rowBytes = 512;
const charBytes = 2;

/** Written out, because every row is weighed, and reading columns by name is slow. */
const chars: {
  readonly [Table in keyof TelemetryRows]: (row: TelemetryRows[Table][number]) => number;
} = {
  spans: spanChars,
  logs: logChars,
  metrics: metricChars,
  hops: hopChars,
  deployments: ({ service, version, previous, actor, note }) =>
    service.length + version.length + previous.length + actor.length + note.length,
  alerts: ({ name, service, metric, note, source, labels }) =>
    name.length + service.length + metric.length + note.length + source.length + labels.length,
};

/** The approximate memory of a row: all its texts, at two bytes per character. */
export function weightOf<Table extends keyof TelemetryRows>(
  table: Table,
  row: TelemetryRows[Table][number],
): number {
  return rowBytes + charBytes * chars[table](row);
}

function spanChars(row: SpanRow): number {
  return (
    row.attributes.length +
    row.events.length +
    row.statusMessage.length +
    row.errorSignature.length +
    row.name.length +
    row.route.length +
    row.peer.length +
    row.requestId.length +
    row.method.length +
    row.service.length +
    row.instance.length
  );
}

function logChars(row: LogRow): number {
  const said = row.text.length + row.signature.length + row.attributes.length;
  return said + row.service.length + row.instance.length;
}

function metricChars(row: MetricRow): number {
  const named = row.name.length + row.unit.length + row.service.length + row.instance.length;
  return named + row.labels.length + row.buckets.length;
}

function hopChars(row: HopRow): number {
  return (
    row.path.length +
    row.requestShape.length +
    row.responseShape.length +
    row.requestId.length +
    row.caller.length +
    row.callee.length +
    row.instance.length +
    row.served.length +
    row.method.length
  );
}
