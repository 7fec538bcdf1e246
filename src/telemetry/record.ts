import { isJsonObject, type Json, type JsonObject } from '../kernel/index.ts';
import type { AlertRow, DeploymentRow, HopRow, LogRow, MetricRow, TelemetryRows } from './rows.ts';
import { signatureOf } from './signature.ts';

/** Rows from the daemon and the router, in JSON with nanoseconds as digits. */
export function readRecord(body: JsonObject): Partial<TelemetryRows> {
  return {
    hops: listIn(body.hops).map(hopRow),
    deployments: listIn(body.deployments).map(deploymentRow),
    alerts: listIn(body.alerts).map(alertRow),
    metrics: listIn(body.metrics).map(metricRow),
    logs: listIn(body.logs).map(logRow),
  };
}

function listIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
/** An id; empty if it is invalid. */
const hexText = (value: Json | undefined): string =>
  /^[0-9a-f]{32}$/.test(text(value)) ? text(value) : '';
const number = (value: Json | undefined): number => (Number.isFinite(value) ? Number(value) : 0);
const ns = (value: Json | undefined): bigint => {
  const digits = text(value);
  return /^\d{1,19}$/.test(digits) ? BigInt(digits) : 0n;
};

function hopRow(fields: JsonObject): HopRow {
  return {
    atNs: ns(fields.atNs),
    lane: text(fields.lane),
    traceId: hexText(fields.traceId),
    requestId: text(fields.requestId),
    caller: text(fields.caller),
    callee: text(fields.callee),
    instance: text(fields.instance),
    served: text(fields.served),
    protocol: text(fields.protocol),
    method: text(fields.method),
    path: text(fields.path),
    status: number(fields.status),
    durationNs: ns(fields.durationNs),
    isAnswered: fields.isAnswered === true,
    isRecovered: fields.isRecovered === true,
    isEscaped: fields.isEscaped === true,
    requestBytes: number(fields.requestBytes),
    responseBytes: number(fields.responseBytes),
    requestShape: text(fields.requestShape),
    responseShape: text(fields.responseShape),
  };
}

function deploymentRow(fields: JsonObject): DeploymentRow {
  const kind = text(fields.kind);
  return {
    atNs: ns(fields.atNs),
    kind: kind === 'promotion' || kind === 'configuration' ? kind : 'deployment',
    service: text(fields.service),
    version: text(fields.version),
    previous: text(fields.previous),
    actor: text(fields.actor),
    note: text(fields.note),
  };
}

function alertRow(fields: JsonObject): AlertRow {
  return {
    atNs: ns(fields.atNs),
    name: text(fields.name),
    state: fields.state === 'resolved' ? 'resolved' : 'firing',
    service: text(fields.service),
    metric: text(fields.metric),
    note: text(fields.note),
    source: text(fields.source),
    labels: text(fields.labels) || '{}',
  };
}

/** A measurement of a process from outside, by the keeper or a probe: always a gauge. */
function metricRow(fields: JsonObject): MetricRow {
  return {
    service: text(fields.service),
    instance: text(fields.instance),
    lane: text(fields.lane),
    atNs: ns(fields.atNs),
    name: text(fields.name),
    unit: text(fields.unit),
    kind: 'gauge',
    isDelta: false,
    value: number(fields.value),
    count: null,
    buckets: '[]',
    labels: text(fields.labels) || '{}',
  };
}

/** What a probe captured. */
function logRow(fields: JsonObject): LogRow {
  return {
    service: text(fields.service),
    instance: text(fields.instance),
    lane: text(fields.lane),
    atNs: ns(fields.atNs),
    traceId: hexText(fields.traceId),
    spanId: '',
    severity: fields.severity === 'error' ? 'error' : 'info',
    text: text(fields.text),
    signature: signatureOf(text(fields.text)),
    source: 'probe',
    attributes: text(fields.attributes) || '{}',
  };
}
