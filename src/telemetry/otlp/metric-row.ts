import { telemetryLimits } from '../limits.ts';
import type { MetricRow } from '../rows.ts';
import { AttributeText, cut } from './attribute-text.ts';
import type { ExponentialDraft, MetricDraft, PointDraft } from './drafts.ts';
import type { MessageSender } from './origin.ts';
import { isPlausible, repairTime } from './plausible-time.ts';
import type { RowContext } from './row-context.ts';

/** The label that SDKs of OpenTelemetry also use for merged series. */
export const overflowLabels = '{"otel.metric.overflow":true}';

const labels = new AttributeText();

const kinds = {
  gauge: 'gauge',
  sum: 'counter',
  histogram: 'histogram',
  exponential: 'histogram',
  summary: 'summary',
} as const;

/** The flag of a point without a recorded value. */
const noRecordedValue = 1;

export function metricProblem({ name }: MetricDraft): string {
  return name === '' ? 'a metric has no name' : '';
}

export function pointProblem({
  bounds,
  counts,
  quantiles,
  value,
  exponential,
}: PointDraft): string {
  const most = telemetryLimits.telemetryBucketsMax;
  const longest = Math.max(
    counts.length,
    quantiles.length,
    exponential?.positive.counts.length ?? 0,
    exponential?.negative.counts.length ?? 0,
  );
  if (longest > most) return `a point has more than ${most} buckets`;
  if (counts.length > 0 && counts.length !== bounds.length + 1) {
    return 'a histogram does not have one count more than it has bounds';
  }
  return Number.isFinite(value) ? '' : 'a point is not a finite number';
}

export function isEmptyPoint({ flags }: PointDraft): boolean {
  return (flags & noRecordedValue) !== 0;
}

export function metricRow(
  metric: MetricDraft,
  point: PointDraft,
  sender: MessageSender,
  deps: RowContext,
): MetricRow {
  const { name: fullName, unit, kind: draftKind } = metric;
  const name = cut(fullName, telemetryLimits.telemetryNameCharsMax);
  const { lane, text } = labelsOf(point);
  const atNs = timeOf(point, deps);
  // A sum that may decrease is a gauge, because it has no rate.
  const kind = draftKind === 'sum' && !metric.isMonotonic ? 'gauge' : kinds[draftKind];
  const isKnown = deps.series.has(sender.service, `${sender.instance} ${name} ${text}`);
  return {
    service: sender.service,
    instance: sender.instance,
    lane: deps.lanes.find(sender.lane || lane, '', ''),
    atNs,
    name,
    unit: cut(unit, telemetryLimits.telemetryNameCharsMax),
    kind,
    isDelta: metric.temporality === 1,
    value: point.value,
    count: kind === 'histogram' || kind === 'summary' ? point.count : null,
    buckets: bucketsText(point),
    labels: isKnown ? text : overflowLabels,
  };
}

/** The labels with sorted keys, so that one series has one text. */
function labelsOf({ keys, values }: PointDraft): { lane: string; text: string } {
  let lane = '';
  const order = keys.map((_, index) => index).sort((a, b) => compare(keys[a] ?? '', keys[b] ?? ''));
  for (const index of order) {
    const key = keys[index] as string;
    if (key === 'surety.lane') lane = String(values[index] ?? '');
    else labels.add(key, values[index] ?? null);
  }
  return { lane, text: labels.finish() };
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function timeOf({ atNs }: PointDraft, { arrival, counts }: RowContext): bigint {
  if (isPlausible(atNs, arrival)) return atNs;
  counts.add('times repaired');
  return repairTime(atNs, arrival).ns;
}

function bucketsText({ bounds, counts, exponential, quantiles }: PointDraft): string {
  if (quantiles.length > 0) return JSON.stringify(quantiles);
  if (exponential) return exponentialBuckets(exponential);
  return counts.length > 0 ? histogramBuckets(bounds, counts) : '[]';
}

/** `[upper bound, count up to it]`; the last bound is null, which stands for infinity. */
function histogramBuckets(bounds: readonly number[], counts: readonly number[]): string {
  let sum = 0;
  const pairs = counts.map((count, index) => {
    sum += count;
    return [bounds[index] ?? null, sum];
  });
  return JSON.stringify(pairs);
}

/**
 * Buckets of an exponential histogram in the form of an ordinary one, from the most negative bound
 * up. Bucket i of scale s ends at 2^((i + 1) / 2^s).
 */
function exponentialBuckets(draft: ExponentialDraft): string {
  const { scale, zeroCount, zeroThreshold, positive, negative } = draft;
  const bound = (index: number): number => 2 ** (index * 2 ** -scale);
  const pairs: [number | null, number][] = [];
  let sum = 0;
  const add = (upper: number, count: number): void => {
    if (count === 0) return;
    sum += count;
    pairs.push([Number.isFinite(upper) ? upper : null, sum]);
  };
  for (let index = negative.counts.length - 1; index >= 0; index--) {
    add(-bound(negative.offset + index), negative.counts[index] ?? 0);
  }
  add(zeroThreshold, zeroCount);
  positive.counts.forEach((count, index) => {
    add(bound(positive.offset + index + 1), count);
  });
  pairs.push([null, sum]);
  return JSON.stringify(pairs);
}
