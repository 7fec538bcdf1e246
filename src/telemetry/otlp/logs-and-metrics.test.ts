import { beforeEach, describe, expect, test } from 'vitest';
import { type Json, rememberSecret } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { LogRow, MetricRow } from '../rows.ts';
import { overflowLabels } from './metric-row.ts';
import {
  anyValue,
  attributes,
  createScene,
  logsOf,
  metricsOf,
  nowNs,
  type Scene,
  spanId,
  traceId,
} from './scene.fixture.ts';

let scene: Scene;
beforeEach(() => {
  scene = createScene();
});

const timeUnixNano = String(nowNs);

function logged(more: Record<string, Json>): LogRow {
  scene.send('logs', logsOf([{ timeUnixNano, ...more }]));
  return scene.kept.rows.logs.at(-1) as LogRow;
}

describe('a log record', () => {
  test.each<[string, Record<string, Json>, Partial<LogRow>]>([
    [
      'a text',
      { body: anyValue('order 7 failed') },
      { text: 'order 7 failed', signature: 'order * failed' },
    ],
    ['a map, as JSON', { body: anyValue({ msg: 'x', n: 1 }) }, { text: '{"msg":"x","n":1}' }],
    ['nothing but the name of an event', { eventName: 'click' }, { text: 'click' }],
    ['a secret', { body: anyValue('Bearer abcdefghijkl') }, { text: '[redacted bearer]' }],
    ['the smallest number of a severity', { severityNumber: 17 }, { severity: 'error' }],
    ['the largest number of a severity', { severityNumber: 20 }, { severity: 'error' }],
    [
      'an invalid severity number',
      { severityNumber: 25, severityText: 'WARNING' },
      { severity: 'warn' },
    ],
    ['an unknown severity', { severityText: 'constructor' }, { severity: '' }],
    ['its trace', { traceId, spanId }, { traceId, spanId, source: 'otlp' }],
    ['no trace', { traceId: '0'.repeat(32), spanId: '' }, { traceId: '', spanId: '' }],
    ['its lane', { attributes: attributes({ 'surety.lane': 'lane_1' }) }, { lane: 'lane_1' }],
  ])('may have %s', (_, more, expected) => {
    expect(logged(more)).toMatchObject(expected);
  });

  test('is truncated at the limits', () => {
    const most = telemetryLimits.telemetryTextCharsMax;
    expect(logged({ body: anyValue('x'.repeat(most)) }).text).toHaveLength(most);
    expect(logged({ body: anyValue('x'.repeat(most + 1)) }).text).toMatch(/x…$/);
  });

  test('that its reporter truncated ends in no part of a secret', () => {
    rememberSecret('known-to-nobody');
    const most = telemetryLimits.telemetryTextCharsMax;
    const ending = (end: string): string =>
      logged({ body: anyValue(end.padStart(most, 'x ')) }).text.slice(-20);
    expect(ending('known-to')).not.toContain('know');
    expect(ending('known-to-nobody')).not.toContain('know');
    expect(ending('kno')).toContain('kno');
  });

  test('with an id of the wrong length is refused alone', () => {
    const taken = scene.send(
      'logs',
      logsOf([{ traceId: 'ab' }, { timeUnixNano }, { spanId: 'ab' }]),
    );
    expect(taken.rejected).toBe(2);
    expect(scene.kept.rows.logs).toHaveLength(1);
  });

  test('keeps its attributes and the name of its logger', () => {
    const scopeLogs = [
      { scope: { name: 'pino' }, logRecords: [{ attributes: attributes({ a: 1 }) }] },
    ];
    scene.send('logs', { resourceLogs: [{ scopeLogs }] });
    const reported = JSON.parse(scene.kept.rows.logs[0]?.attributes ?? '');
    expect(reported).toMatchObject({ a: 1, 'otel.scope.name': 'pino' });
  });
});

function measured(metric: Record<string, Json>): MetricRow {
  scene.send('metrics', metricsOf([{ name: 'm', unit: 's', ...metric }]));
  return scene.kept.rows.metrics.at(-1) as MetricRow;
}

const point = (more: Record<string, Json>): Json => ({
  dataPoints: [{ timeUnixNano, attributes: attributes({ b: 1, a: 'x' }), ...more }],
});

describe('a metric', () => {
  test.each<[string, Record<string, Json>, Partial<MetricRow>]>([
    ['a gauge', { gauge: point({ asDouble: 1.5 }) }, { kind: 'gauge', value: 1.5, count: null }],
    ['a gauge of whole numbers', { gauge: point({ asInt: '-7' }) }, { value: -7 }],
    [
      'a counter',
      {
        sum: { ...(point({ asInt: '7' }) as object), isMonotonic: true, aggregationTemporality: 2 },
      },
      { kind: 'counter', value: 7, isDelta: false, buckets: '[]' },
    ],
    [
      'a sum that may decrease',
      { sum: { ...(point({ asInt: '7' }) as object), aggregationTemporality: 1 } },
      { kind: 'gauge', isDelta: true },
    ],
    [
      'a histogram',
      {
        histogram: point({
          count: '6',
          sum: 9,
          bucketCounts: ['1', '2', '3'],
          explicitBounds: [1, 2],
        }),
      },
      { kind: 'histogram', count: 6, value: 9, buckets: '[[1,1],[2,3],[null,6]]' },
    ],
    [
      'an exponential histogram',
      {
        exponentialHistogram: point({
          count: '7',
          sum: 3,
          scale: 0,
          zeroCount: '1',
          positive: { offset: 0, bucketCounts: ['1', '0', '2'] },
          negative: { offset: 0, bucketCounts: ['3'] },
        }),
      },
      { kind: 'histogram', count: 7, buckets: '[[-1,3],[0,4],[2,5],[8,7],[null,7]]' },
    ],
    [
      'a summary',
      { summary: point({ count: '2', sum: 3, quantileValues: [{ quantile: 0.5, value: 1 }] }) },
      { kind: 'summary', count: 2, value: 3, buckets: '[[0.5,1]]' },
    ],
  ])('%s', (_, metric, expected) => {
    expect(measured(metric)).toMatchObject({
      name: 'm',
      unit: 's',
      labels: '{"a":"x","b":1}',
      ...expected,
    });
  });

  test.each([
    ['lane_1', 'lane_1'],
    ["x' OR 1", ''],
    ['x'.repeat(65), ''],
  ])('with the lane label %s belongs to the lane "%s"', (reported, lane) => {
    const dataPoints = [{ asInt: '1', attributes: attributes({ 'surety.lane': reported }) }];
    expect(measured({ gauge: { dataPoints } }).lane).toBe(lane);
  });

  test.each<[string, Record<string, Json>]>([
    ['without a name', { name: '', gauge: point({ asInt: '1' }) }],
    ['that is not a number', { gauge: point({ asDouble: 'NaN' }) }],
    [
      'whose counts do not fit its bounds',
      { histogram: point({ bucketCounts: ['1'], explicitBounds: [1, 2] }) },
    ],
    [
      'with too many buckets',
      {
        exponentialHistogram: point({
          positive: { bucketCounts: Array(telemetryLimits.telemetryBucketsMax + 1).fill('1') },
        }),
      },
    ],
  ])('%s is refused', (_, metric) => {
    const taken = scene.send('metrics', metricsOf([{ name: 'm', ...metric }]));
    expect(taken.rejected).toBe(1);
    expect(scene.kept.rows.metrics).toEqual([]);
  });

  test('may have as many buckets as the limit', () => {
    const bucketCounts = Array(telemetryLimits.telemetryBucketsMax).fill('1');
    const row = measured({ exponentialHistogram: point({ positive: { bucketCounts }, scale: 8 }) });
    expect(JSON.parse(row.buckets)).toHaveLength(telemetryLimits.telemetryBucketsMax + 1);
  });

  test('without a recorded value is neither stored nor refused', () => {
    const taken = scene.send('metrics', metricsOf([{ name: 'm', gauge: point({ flags: 1 }) }]));
    expect(taken.rejected).toBe(0);
    expect(scene.kept.rows.metrics).toEqual([]);
  });

  test('with too many series gets one series for the rest', () => {
    const points = (count: number): Json => ({
      dataPoints: Array.from({ length: count }, (_, n) => ({
        timeUnixNano,
        asInt: '1',
        attributes: attributes({ n }),
      })),
    });
    const last = (count: number): string => measured({ gauge: points(count) }).labels;
    expect(last(telemetryLimits.telemetrySeriesMax)).not.toBe(overflowLabels);
    expect(last(telemetryLimits.telemetrySeriesMax + 1)).toBe(overflowLabels);
    expect(scene.intake.counts.get('series folded')).toBe(1);
  });
});
