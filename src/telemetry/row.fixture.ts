import type { AlertRow, DeploymentRow, HopRow, LogRow, MetricRow, SpanRow } from './rows.ts';

/** 2026-11-15T06:00:00Z. */
export const fixtureNs = 1_794_722_400_000_000_000n;

export function spanRow(row: Partial<SpanRow> = {}): SpanRow {
  return {
    service: 'pricing',
    instance: 'pricing/baseline/1',
    lane: '',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: '',
    name: 'GET /quotes/:symbol',
    kind: 'server',
    startNs: fixtureNs,
    durationNs: 1_500_000n,
    status: 'unset',
    statusMessage: '',
    method: 'GET',
    route: '/quotes/:symbol',
    httpStatus: 200,
    peer: '',
    requestId: 'req-1',
    errorSignature: '',
    cpuUs: 120,
    requestBytes: 0,
    responseBytes: 64,
    calls: 1,
    attributes: '{"user_agent.original":"undici"}',
    events: '[]',
    ...row,
  };
}

export function logRow(row: Partial<LogRow> = {}): LogRow {
  return {
    service: 'pricing',
    instance: 'pricing/baseline/1',
    lane: '',
    atNs: fixtureNs,
    traceId: '',
    spanId: '',
    severity: 'info',
    text: 'quoted ACME at 12',
    signature: 'quoted ACME at #',
    source: 'stdout',
    attributes: '{}',
    ...row,
  };
}

export function metricRow(row: Partial<MetricRow> = {}): MetricRow {
  return {
    service: 'pricing',
    instance: 'pricing/baseline/1',
    lane: '',
    atNs: fixtureNs,
    name: 'process.memory.usage',
    unit: 'By',
    kind: 'gauge',
    isDelta: false,
    value: 1e8,
    count: null,
    buckets: '',
    labels: '{}',
    ...row,
  };
}

export function hopRow(row: Partial<HopRow> = {}): HopRow {
  return {
    atNs: fixtureNs,
    lane: 'lane_1',
    traceId: '',
    requestId: 'req-1',
    caller: 'gateway',
    callee: 'pricing',
    instance: 'pricing/lane_1/1',
    served: 'candidate',
    protocol: 'http1',
    method: 'GET',
    path: '/quotes/ACME',
    status: 200,
    durationNs: 2_000_000n,
    isAnswered: true,
    isRecovered: false,
    isEscaped: false,
    requestBytes: 0,
    responseBytes: 64,
    requestShape: '',
    responseShape: '{"price":"number"}',
    ...row,
  };
}

export function deploymentRow(row: Partial<DeploymentRow> = {}): DeploymentRow {
  return {
    atNs: fixtureNs,
    kind: 'promotion',
    service: 'pricing',
    version: 'v2',
    previous: 'v1',
    actor: 'coder',
    note: '',
    ...row,
  };
}

export function alertRow(row: Partial<AlertRow> = {}): AlertRow {
  return {
    atNs: fixtureNs,
    name: 'HighErrorRate',
    state: 'firing',
    service: 'pricing',
    metric: 'http_requests_total',
    note: '',
    source: 'alertmanager',
    labels: '{}',
    ...row,
  };
}
