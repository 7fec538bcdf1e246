import { isJsonObject, type Json, type JsonObject } from '../kernel/index.ts';
import type { AlertRow, DeploymentRow, HopRow, MetricRow, TelemetryRows } from './rows.ts';

/** What the daemon and the router tell: rows in JSON, nanoseconds as digits. */
export function readRecord(body: JsonObject): Partial<TelemetryRows> {
  return {
    hops: listIn(body.hops).map(hopRow),
    deployments: listIn(body.deployments).map(deploymentRow),
    alerts: listIn(body.alerts).map(alertRow),
    metrics: listIn(body.metrics).map(metricRow),
  };
}

function listIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
/** An id; what is none is not known. */
const hexText = (value: Json | undefined): string =>
  /^[0-9a-f]{32}$/.test(text(value)) ? text(value) : '';
const number = (value: Json | undefined): number => (Number.isFinite(value) ? Number(value) : 0);
const ns = (value: Json | undefined): bigint => {
  const digits = text(value);
  return /^\d{1,19}$/.test(digits) ? BigInt(digits) : 0n;
};

function hopRow(told: JsonObject): HopRow {
  return {
    atNs: ns(told.atNs),
    lane: text(told.lane),
    traceId: hexText(told.traceId),
    requestId: text(told.requestId),
    caller: text(told.caller),
    callee: text(told.callee),
    instance: text(told.instance),
    served: text(told.served),
    protocol: text(told.protocol),
    method: text(told.method),
    path: text(told.path),
    status: number(told.status),
    durationNs: ns(told.durationNs),
    isAnswered: told.isAnswered === true,
    isRecovered: told.isRecovered === true,
    isEscaped: told.isEscaped === true,
    requestBytes: number(told.requestBytes),
    responseBytes: number(told.responseBytes),
    requestShape: text(told.requestShape),
    responseShape: text(told.responseShape),
  };
}

function deploymentRow(told: JsonObject): DeploymentRow {
  const kind = text(told.kind);
  return {
    atNs: ns(told.atNs),
    kind: kind === 'promotion' || kind === 'configuration' ? kind : 'deployment',
    service: text(told.service),
    version: text(told.version),
    previous: text(told.previous),
    actor: text(told.actor),
    note: text(told.note),
  };
}

function alertRow(told: JsonObject): AlertRow {
  return {
    atNs: ns(told.atNs),
    name: text(told.name),
    state: told.state === 'resolved' ? 'resolved' : 'firing',
    service: text(told.service),
    metric: text(told.metric),
    note: text(told.note),
    source: text(told.source),
    labels: text(told.labels) || '{}',
  };
}

/** What the keeper sees of a process from outside: always a gauge. */
function metricRow(told: JsonObject): MetricRow {
  return {
    service: text(told.service),
    instance: text(told.instance),
    lane: text(told.lane),
    atNs: ns(told.atNs),
    name: text(told.name),
    unit: text(told.unit),
    kind: 'gauge',
    isDelta: false,
    value: number(told.value),
    count: null,
    buckets: '[]',
    labels: '{}',
  };
}
