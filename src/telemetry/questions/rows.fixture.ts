import { alertRow, deploymentRow, hopRow, logRow, metricRow, spanRow } from '../row.fixture.ts';
import type { TelemetryRows } from '../rows.ts';

/** What everything in these tests is measured from. */
export const noon: number = Date.UTC(2026, 10, 15, 12);

const ns = (ms: number): bigint => BigInt(Math.round(ms * 1e6));
const at = (seconds: number): bigint => ns(noon + seconds * 1_000);
const orders = { service: 'orders', instance: 'orders/1' };

type Row<Table extends keyof TelemetryRows> = TelemetryRows[Table][number];

/** A request of the service orders, so many seconds after noon. */
export function span(seconds: number, row: Partial<Row<'spans'>> = {}): Row<'spans'> {
  const usual = { ...orders, name: 'GET /orders', route: '/orders', requestId: '', cpuUs: null };
  return spanRow({ ...usual, startNs: at(seconds), durationNs: ns(10), ...row });
}

/** A span of a trace: its id, and that of the one that it was made for. */
export function step(id: string, parent: string, row: Partial<Row<'spans'>>): Row<'spans'> {
  const long = (text: string): string => (text === '' ? '' : text.padStart(16, '0'));
  return span(0, { spanId: long(id), parentSpanId: long(parent), ...row });
}

export function log(seconds: number, text: string, row: Partial<Row<'logs'>> = {}): Row<'logs'> {
  const signature = text.replace(/\d+/g, '#');
  return logRow({ ...orders, atNs: at(seconds), text, signature, ...row });
}

export function metric(seconds: number, row: Partial<Row<'metrics'>> = {}): Row<'metrics'> {
  return metricRow({ ...orders, atNs: at(seconds), ...row });
}

/** A call of a lane from edge to orders. */
export function hop(seconds: number, row: Partial<Row<'hops'>> = {}): Row<'hops'> {
  const usual = { lane: 'lane_a', caller: 'edge', callee: 'orders', requestId: '' };
  const what = { path: '/orders', responseShape: '', durationNs: ns(10), instance: 'baseline' };
  return hopRow({ ...usual, ...what, atNs: at(seconds), ...row });
}

export function deployment(
  seconds: number,
  row: Partial<Row<'deployments'>> = {},
): Row<'deployments'> {
  return deploymentRow({ service: 'orders', atNs: at(seconds), ...row });
}

export function alert(seconds: number, row: Partial<Row<'alerts'>> = {}): Row<'alerts'> {
  return alertRow({ service: 'orders', atNs: at(seconds), ...row });
}
