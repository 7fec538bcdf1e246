import type { MetricRow, Sink, SpanRow, TelemetryRows } from './rows.ts';

/** A span as it is when nothing is known of it. */
export function spanRow(more: Partial<SpanRow> = {}): SpanRow {
  return {
    service: 'orders',
    instance: 'orders/baseline/1',
    lane: '',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: '',
    name: 'GET /orders',
    kind: 'server',
    startNs: 1_800_000_000_000_000_000n,
    durationNs: 4_000_000n,
    status: 'unset',
    statusMessage: '',
    method: 'GET',
    route: '/orders',
    httpStatus: 200,
    peer: '',
    requestId: '',
    errorSignature: '',
    cpuUs: null,
    requestBytes: null,
    responseBytes: null,
    calls: null,
    attributes: '{}',
    events: '[]',
    ...more,
  };
}

export function metricRow(more: Partial<MetricRow> = {}): MetricRow {
  return {
    service: 'orders',
    instance: 'orders/baseline/1',
    lane: '',
    atNs: 1_800_000_000_000_000_000n,
    name: 'process.memory.usage',
    unit: 'By',
    kind: 'gauge',
    isDelta: false,
    value: 1,
    count: null,
    buckets: '[]',
    labels: '{}',
    ...more,
  };
}

/** Everything that was taken, by table. */
export class CollectedRows implements Sink {
  readonly rows: { [Name in keyof TelemetryRows]: TelemetryRows[Name][number][] } = {
    spans: [],
    logs: [],
    metrics: [],
    hops: [],
    deployments: [],
    alerts: [],
  };

  take(rows: Partial<TelemetryRows>): { refused: number } {
    for (const [name, some] of Object.entries(rows))
      (this.rows[name as keyof TelemetryRows] as unknown[]).push(...some);
    return { refused: 0 };
  }

  isFull(): boolean {
    return false;
  }
}
