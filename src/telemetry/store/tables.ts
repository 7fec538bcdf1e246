import type { AlertRow, DeploymentRow, HopRow, LogRow, MetricRow, Rows, SpanRow } from '../rows.ts';
import { type Column, columnsOf } from './column.ts';

export type TableName = keyof Rows;

/** Any row, to whoever only hands it on to the columns of its own table. */
export type AnyRow = Rows[TableName][number];

const span = columnsOf<SpanRow>();
const log = columnsOf<LogRow>();
const metric = columnsOf<MetricRow>();
const hop = columnsOf<HopRow>();
const deployment = columnsOf<DeploymentRow>();
const alert = columnsOf<AlertRow>();

const spans = [
  span.text('traceId'),
  span.text('spanId'),
  span.text('parentSpanId'),
  span.text('service'),
  span.text('instance'),
  span.text('lane'),
  span.text('name'),
  span.text('kind'),
  span.time((row) => row.startNs),
  span.milliseconds((row) => row.durationNs),
  span.text('status'),
  span.text('statusMessage'),
  span.text('method'),
  span.text('route'),
  span.whole('httpStatus'),
  span.text('peer'),
  span.text('requestId'),
  span.text('errorSignature'),
  span.real('cpuUs'),
  span.whole('requestBytes'),
  span.whole('responseBytes'),
  span.whole('calls'),
  span.text('attributes'),
  span.text('events'),
];

const logs = [
  log.time((row) => row.atNs),
  log.text('service'),
  log.text('instance'),
  log.text('lane'),
  log.text('severity'),
  log.text('text'),
  log.text('signature'),
  log.text('source'),
  log.text('traceId'),
  log.text('spanId'),
  log.text('attributes'),
];

const metrics = [
  metric.time((row) => row.atNs),
  metric.text('service'),
  metric.text('instance'),
  metric.text('lane'),
  metric.text('name'),
  metric.text('unit'),
  metric.text('kind'),
  metric.flag('isDelta'),
  metric.real('value'),
  metric.whole('count'),
  metric.text('buckets'),
  metric.text('labels'),
];

const hops = [
  hop.time((row) => row.atNs),
  hop.text('lane'),
  hop.text('caller'),
  hop.text('callee'),
  hop.text('instance'),
  hop.text('served'),
  hop.text('protocol'),
  hop.text('method'),
  hop.text('path'),
  hop.whole('status'),
  hop.milliseconds((row) => row.durationNs),
  hop.flag('isAnswered'),
  hop.flag('isRecovered'),
  hop.flag('isEscaped'),
  hop.whole('requestBytes'),
  hop.whole('responseBytes'),
  hop.text('requestShape'),
  hop.text('responseShape'),
  hop.text('traceId'),
  hop.text('requestId'),
];

const deployments = [
  deployment.time((row) => row.atNs),
  deployment.text('kind'),
  deployment.text('service'),
  deployment.text('version'),
  deployment.text('previous'),
  deployment.text('actor'),
  deployment.text('note'),
];

const alerts = [
  alert.time((row) => row.atNs),
  alert.text('name'),
  alert.text('state'),
  alert.text('service'),
  alert.text('metric'),
  alert.text('note'),
  alert.text('source'),
  alert.text('labels'),
];

/** What a segment stores, column by column. A change of it needs a new `segmentVersion`. */
export const tables = { spans, logs, metrics, hops, deployments, alerts } as unknown as Readonly<
  Record<TableName, readonly Column<AnyRow>[]>
>;

export const tableNames = Object.keys(tables) as readonly TableName[];
