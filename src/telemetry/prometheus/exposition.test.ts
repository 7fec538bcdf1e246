import { describe, expect, test } from 'vitest';
import type { Clock } from '../../kernel/index.ts';
import { laneLabel } from '../lane-key.ts';
import { telemetryLimits } from '../limits.ts';
import { metricRow, spanRow } from '../rows.fixture.ts';
import { printExposition } from './exposition.ts';
import { MemoryMetrics, MetricsPage, memoryStaleMs } from './metrics-page.ts';
import { durationBounds, idleSeriesMs, RequestMetrics } from './request-metrics.ts';
import { readExposition } from './text-format.ts';

function handClock(): Clock & { at: number } {
  return { at: 0, now: () => clock.at, keepAfter: () => undefined, aheadMs: () => 0 };
}
const clock = handClock();

const total = (text: string, name: string, labels: Readonly<Record<string, string>> = {}) =>
  readExposition(text)
    .samples.filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, of]) => sample.labels.get(key) === of))
    .reduce((sum, { value }) => sum + value, 0);

describe('request metrics', () => {
  // proves: lanes.unguessable
  test('are counted by service, route, method, status and lane', () => {
    const requests = new RequestMetrics(clock);
    const failed = spanRow({ httpStatus: 503, lane: 'lane_1' });
    requests.see([spanRow(), spanRow(), failed, spanRow({ kind: 'client' })]);
    requests.see([spanRow({ httpStatus: null, status: 'error', method: '', route: 'a"b\\\n' })]);
    const text = printExposition(requests.expose());
    expect(text).toContain('# TYPE http_requests_total counter');
    expect(text).toContain(
      'http_requests_total{service="orders",route="/orders",method="GET",status="200",lane=""} 2',
    );
    expect(text).toContain('route="a\\"b\\\\\\n"');
    expect(total(text, 'http_requests_total', { status: '503', lane: laneLabel('lane_1') })).toBe(
      1,
    );
    expect(text).not.toContain('lane_1');
    expect(total(text, 'http_requests_total', { status: 'error' })).toBe(1);
    expect(total(text, 'http_requests_total')).toBe(4);
  });

  test('use cumulative buckets, and a duration on a bound falls into the lower one', () => {
    const requests = new RequestMetrics(clock);
    const took = (seconds: number) => spanRow({ durationNs: BigInt(seconds * 1e9) });
    requests.see([took(0.001), took(0.002), took(10), took(11)]);
    const text = printExposition(requests.expose());
    const bucket = (le: string) => total(text, 'http_request_duration_seconds_bucket', { le });
    expect([bucket('0.001'), bucket('0.0025'), bucket('10'), bucket('+Inf')]).toEqual([1, 2, 3, 4]);
    expect(total(text, 'http_request_duration_seconds_count')).toBe(4);
    expect(total(text, 'http_request_duration_seconds_sum')).toBeCloseTo(21.003);
    expect(durationBounds).toEqual(durationBounds.toSorted((left, right) => left - right));
  });

  test('with too many label sets are merged and counted; idle sets make room', () => {
    const requests = new RequestMetrics(clock);
    const routes = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => spanRow({ route: `/${from + n}` }));
    clock.at = 1;
    requests.see(routes(0, telemetryLimits.exposedSeriesMax));
    expect(requests.folded).toBe(0);
    requests.see(routes(telemetryLimits.exposedSeriesMax, 3));
    expect(requests.folded).toBe(3);
    const folded = { service: '(other)', route: '(other)', status: '200' };
    const text = printExposition(requests.expose());
    expect(total(text, 'http_requests_total', folded)).toBe(3);
    expect(total(text, 'http_requests_total')).toBe(telemetryLimits.exposedSeriesMax + 3);
    clock.at += idleSeriesMs + 1;
    requests.see(routes(10_000_000, 1));
    expect(requests.folded).toBe(3);
    const after = printExposition(requests.expose());
    expect(total(after, 'http_requests_total')).toBe(1);
  });

  test('truncate labels at the limit', () => {
    const requests = new RequestMetrics(clock);
    const route = (chars: number) => `/${'x'.repeat(chars - 1)}`;
    requests.see(
      [telemetryLimits.exposedLabelCharsMax, telemetryLimits.exposedLabelCharsMax + 1].map(
        (chars, lane) => spanRow({ route: route(chars), lane: `lane_${lane}` }),
      ),
    );
    const { samples } = readExposition(printExposition(requests.expose()));
    const lengths = new Set(samples.map(({ labels }) => labels.get('route')?.length));
    expect(lengths).toEqual(new Set([telemetryLimits.exposedLabelCharsMax]));
  });
});

describe('memory metrics', () => {
  test('show the last report of each running instance', () => {
    const memory = new MemoryMetrics(clock);
    clock.at = 1_000;
    memory.see([metricRow({ value: 1 }), metricRow({ value: 2 }), metricRow({ name: 'other' })]);
    const name = 'process_resident_memory_bytes';
    memory.see([metricRow({ name, instance: 'orders/lane_1/2', lane: 'lane_1', value: 30 })]);
    const name001 = 'container_memory_usage_bytes';
    const text = printExposition([memory.expose()]);
    expect(total(text, name001, { instance: 'orders/baseline/1', lane: '' })).toBe(2);
    expect(total(text, name001, { lane: laneLabel('lane_1') })).toBe(30);
    expect(text).toMatch(/instance="orders\/lane-[0-9a-f]{12}\/2"/);
    expect(text).not.toContain('lane_1');
    clock.at += memoryStaleMs + 1;
    memory.see([metricRow({ value: 5 })]);
    expect(total(printExposition([memory.expose()]), name001)).toBe(5);
    expect(printExposition([new MemoryMetrics(clock).expose()])).toBe('\n');
  });
});

test('the metrics page shows requests, memory, and the process itself', () => {
  const page = new MetricsPage(clock);
  page.see({ spans: [spanRow()], metrics: [metricRow({ value: 7 })] });
  const own = { name: 'own', help: 'a\nb', type: 'gauge' as const };
  const { text, contentType } = page.print([{ ...own, samples: [{ labels: [], value: 3 }] }]);
  expect(contentType).toContain('version=0.0.4');
  expect(text).toContain('# HELP own a\\nb\n# TYPE own gauge\nown 3\n');
  expect(total(text, 'http_requests_total')).toBe(1);
  expect(total(text, 'container_memory_usage_bytes')).toBe(7);
  expect(readExposition(text).unreadable).toBe(0);
});
