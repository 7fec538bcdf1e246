import type {
  AlertRow,
  DeploymentRow,
  HopRow,
  LogRow,
  MetricRow,
  SpanRow,
  TelemetryRows,
} from '../rows.ts';
import { type Column, columnsOf } from './column.ts';

export type TableName = keyof TelemetryRows;

/** Any row, for code that only passes it to the columns of its own table. */
export type AnyRow = TelemetryRows[TableName][number];

const span = columnsOf<SpanRow>();
const log = columnsOf<LogRow>();
const metric = columnsOf<MetricRow>();
const hop = columnsOf<HopRow>();
const deployment = columnsOf<DeploymentRow>();
const alert = columnsOf<AlertRow>();

const spans = [
  span.text('trace_id', (row) => row.traceId),
  span.text('span_id', (row) => row.spanId),
  span.text('parent_span_id', (row) => row.parentSpanId),
  span.word('service', (row) => row.service),
  span.word('instance', (row) => row.instance),
  span.word('lane', (row) => row.lane),
  span.word('name', (row) => row.name),
  span.word('kind', (row) => row.kind),
  span.time((row) => row.startNs),
  span.milliseconds((row) => row.durationNs),
  span.word('status', (row) => row.status),
  span.word('status_message', (row) => row.statusMessage),
  span.word('method', (row) => row.method),
  span.word('route', (row) => row.route),
  span.whole('http_status', (row) => row.httpStatus),
  span.word('peer', (row) => row.peer),
  span.text('request_id', (row) => row.requestId),
  span.word('error_signature', (row) => row.errorSignature),
  span.real('cpu_us', (row) => row.cpuUs),
  span.whole('request_bytes', (row) => row.requestBytes),
  span.whole('response_bytes', (row) => row.responseBytes),
  span.whole('calls', (row) => row.calls),
  span.text('attributes', (row) => row.attributes),
  span.word('events', (row) => row.events),
  // Numbers are found faster than texts. The last digits, since the first may contain a lane.
  span.computed('trace_key', 'UBIGINT', `TRY_CAST('0x' || right(trace_id, 16) AS UBIGINT)`),
];

const logs = [
  log.time((row) => row.atNs),
  log.word('service', (row) => row.service),
  log.word('instance', (row) => row.instance),
  log.word('lane', (row) => row.lane),
  log.word('severity', (row) => row.severity),
  log.text('text', (row) => row.text),
  log.word('signature', (row) => row.signature),
  log.word('source', (row) => row.source),
  log.text('trace_id', (row) => row.traceId),
  log.text('span_id', (row) => row.spanId),
  log.text('attributes', (row) => row.attributes),
];

const metrics = [
  metric.time((row) => row.atNs),
  metric.word('service', (row) => row.service),
  metric.word('instance', (row) => row.instance),
  metric.word('lane', (row) => row.lane),
  metric.word('name', (row) => row.name),
  metric.word('unit', (row) => row.unit),
  metric.word('kind', (row) => row.kind),
  metric.flag('is_delta', (row) => row.isDelta),
  metric.real('value', (row) => row.value),
  metric.whole('count', (row) => row.count),
  metric.text('buckets', (row) => row.buckets),
  metric.text('labels', (row) => row.labels),
];

const hops = [
  hop.time((row) => row.atNs),
  hop.word('lane', (row) => row.lane),
  hop.word('caller', (row) => row.caller),
  hop.word('callee', (row) => row.callee),
  hop.word('instance', (row) => row.instance),
  hop.word('served', (row) => row.served),
  hop.word('protocol', (row) => row.protocol),
  hop.word('method', (row) => row.method),
  hop.text('path', (row) => row.path),
  hop.whole('status', (row) => row.status),
  hop.milliseconds((row) => row.durationNs),
  hop.flag('is_answered', (row) => row.isAnswered),
  hop.flag('is_recovered', (row) => row.isRecovered),
  hop.flag('is_escaped', (row) => row.isEscaped),
  hop.whole('request_bytes', (row) => row.requestBytes),
  hop.whole('response_bytes', (row) => row.responseBytes),
  hop.text('request_shape', (row) => row.requestShape),
  hop.text('response_shape', (row) => row.responseShape),
  hop.text('trace_id', (row) => row.traceId),
  hop.text('request_id', (row) => row.requestId),
];

const deployments = [
  deployment.time((row) => row.atNs),
  deployment.word('kind', (row) => row.kind),
  deployment.word('service', (row) => row.service),
  deployment.word('version', (row) => row.version),
  deployment.word('previous', (row) => row.previous),
  deployment.word('actor', (row) => row.actor),
  deployment.text('note', (row) => row.note),
];

const alerts = [
  alert.time((row) => row.atNs),
  alert.word('name', (row) => row.name),
  alert.word('state', (row) => row.state),
  alert.word('service', (row) => row.service),
  alert.word('metric', (row) => row.metric),
  alert.text('note', (row) => row.note),
  alert.word('source', (row) => row.source),
  alert.text('labels', (row) => row.labels),
];

/** The columns of a segment. Changing them requires a new `segmentVersion`. */
export const tables = { spans, logs, metrics, hops, deployments, alerts } as Readonly<
  Record<TableName, readonly Column<AnyRow>[]>
>;

export const tableNames = Object.keys(tables) as readonly TableName[];
