import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../../tests/harness/any-text.ts';
import { telemetryLimits } from '../limits.ts';
import type { MetricRow } from '../rows.ts';
import { escapeLabel, printNumber } from './exposition.ts';
import { metricRows } from './metric-rows.ts';
import { readSample } from './sample-line.ts';
import { readExposition } from './text-format.ts';

const atNs = 1_800_000_000_000_000_000n;

function rowsOf(text: string, contentType?: string): MetricRow[] {
  const origin = { service: 'orders', instance: 'orders/baseline/1', lane: '', atNs };
  return metricRows(readExposition(text, contentType), origin);
}

describe('a line of the Prometheus text format', () => {
  const labels = (of: Record<string, string>) => new Map(Object.entries(of));

  test.each([
    ['up 1', { name: 'up', labels: labels({}), value: 1, stamp: null }],
    ['up{} 0', { name: 'up', labels: labels({}), value: 0, stamp: null }],
    ['a:b{x="1"} 2.5e3 1700000000000', { labels: labels({ x: '1' }), stamp: 1_700_000_000_000 }],
    ['a { x = "1" , y="2", } +Inf', { labels: labels({ x: '1', y: '2' }), value: Infinity }],
    ['a{x="q\\"b\\\\s\\nn"} NaN', { labels: labels({ x: 'q"b\\s\nn' }), value: Number.NaN }],
    ['a{x="}{,=\'#"} -Inf', { labels: labels({ x: "}{,='#" }), value: -Infinity }],
    ['{"http.requests", "a.b"="c"} 1', { name: 'http.requests', labels: labels({ 'a.b': 'c' }) }],
    ['a_total 5 # {trace_id="x} #"} 0.5 1.5', { name: 'a_total', value: 5, stamp: null }],
    ['a_bucket{le="1"} 5 1.5 # {} 0.5', { value: 5, stamp: 1.5 }],
  ])('is parsed: %s', (line, sample) => {
    expect(readSample(line)).toMatchObject(sample);
  });

  test.each(['', 'up', '1', '{} 1', 'a{x} 1', 'a{x="1} 1', 'a{x="1"y="2"} 1', 'a b', 'a 1 2 3'])(
    'is rejected: %s',
    (line) => {
      expect(readSample(line)).toBeUndefined();
    },
  );

  test('is parsed to the labels and numbers that were printed', () => {
    fc.assert(
      fc.property(anyText(), fc.double(), (text, value) => {
        const line = `a{x="${escapeLabel(text)}"} ${printNumber(value)}`;
        const read = readSample(line);
        expect(read?.labels.get('x')).toBe(text);
        expect(read?.value).toBe(Object.is(value, -0) ? 0 : value);
      }),
    );
  });
});

describe('reading an exposition', () => {
  test('gives one row per series', () => {
    const rows = rowsOf(`# HELP x Something.
# TYPE x_total counter
x_total{b="2",a="1"} 3
# TYPE y gauge
y -1.5 1799999999000
guessed_total 4
plain 5
`);
    expect(rows).toEqual([
      expect.objectContaining({ name: 'x_total', kind: 'counter', value: 3, atNs }),
      expect.objectContaining({ name: 'y', kind: 'gauge', atNs: 1_799_999_999_000_000_000n }),
      expect.objectContaining({ name: 'guessed_total', kind: 'counter' }),
      expect.objectContaining({ name: 'plain', kind: 'gauge', labels: '{}', buckets: '[]' }),
    ]);
    expect(rows[0]).toMatchObject({ labels: '{"a":"1","b":"2"}', service: 'orders', lane: '' });
  });

  test('joins the parts of histograms and summaries by their labels', () => {
    const rows = rowsOf(`# TYPE h histogram
h_bucket{r="a",le="+Inf"} 5
h_bucket{r="a",le="0.5"} 2
h_sum{r="a"} 3.5
h_count{r="a"} 5
h_bucket{r="b",le="+Inf"} 7
# TYPE s summary
s{quantile="0.5"} 0.1
s{quantile="0.99"} NaN
s_sum 10
s_count 4
`);
    const histogram = { name: 'h', kind: 'histogram' };
    expect(rows).toMatchObject([
      { ...histogram, labels: '{"r":"a"}', value: 3.5, count: 5, buckets: '[[0.5,2],[null,5]]' },
      { ...histogram, labels: '{"r":"b"}', value: 0, count: 7 },
      { name: 's', kind: 'summary', value: 10, count: 4, buckets: '[[0.5,0.1],[0.99,null]]' },
    ]);
  });

  test('accepts OpenMetrics: times in seconds, units, exemplars, and an end', () => {
    const rows = rowsOf(
      `# TYPE wait_seconds counter
# UNIT wait_seconds seconds
wait_seconds_total 3 1799999999.5 # {trace_id="abc"} 0.2
wait_seconds_created 1799999000
# TYPE build info
build_info{version="1"} 1
# EOF
after 1
`,
      'application/openmetrics-text; version=1.0.0',
    );
    const stamped = { kind: 'counter', unit: 'seconds', atNs: 1_799_999_999_500_000_000n };
    expect(rows).toMatchObject([
      { name: 'wait_seconds_total', value: 3, ...stamped },
      { name: 'build_info', kind: 'gauge', labels: '{"version":"1"}' },
    ]);
    expect(rows).toHaveLength(2);
  });

  test('takes a metric that only looks like a part of a histogram as one of its own', () => {
    expect(rowsOf('# TYPE a gauge\na_count 1\nb_bucket{le="1"} 2\n')).toMatchObject([
      { name: 'a_count', kind: 'gauge' },
      { name: 'b_bucket', labels: '{"le":"1"}' },
    ]);
  });

  test('takes the lane only from our label, and ignores implausible times', () => {
    const [row, other, wrong, late] = rowsOf(
      'a{surety_lane="lane_1"} 1 1000\na{lane="fast"} 1\na{surety_lane="no lane"} 1\nb 1 99999999999999\n',
    );
    expect(row).toMatchObject({ lane: 'lane_1', atNs });
    expect(other).toMatchObject({ lane: '', labels: '{"lane":"fast"}' });
    expect(wrong).toMatchObject({ lane: '' });
    expect(late).toMatchObject({ atNs });
  });

  test('counts unreadable lines and keeps the others', () => {
    const exposition = readExposition('a 1\n<html>\nb{ 1\r\nc 2\r\n');
    expect(exposition).toMatchObject({ unreadable: 2, beyond: 0 });
    expect(exposition.samples.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  test('gives at most as many series as the limit', () => {
    const text = (count: number) => Array.from({ length: count }, (_, n) => `a{n="${n}"} 1`);
    const last = readExposition(text(telemetryLimits.scrapeSamplesMax).join('\n'));
    expect(last).toMatchObject({ beyond: 0 });
    const first = readExposition(text(telemetryLimits.scrapeSamplesMax + 1).join('\n'));
    expect(first).toMatchObject({ beyond: 1 });
    expect(first.samples).toHaveLength(telemetryLimits.scrapeSamplesMax);
  });

  test('accepts arbitrary bytes', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 400 }), (text) => {
        expect(rowsOf(text).every(({ value }) => Number.isFinite(value))).toBe(true);
      }),
    );
  });
});
