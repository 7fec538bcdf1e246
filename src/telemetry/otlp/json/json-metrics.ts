import type { JsonObject } from '../../../kernel/index.ts';
import { telemetryLimits } from '../../limits.ts';
import {
  attributeList,
  type BucketsDraft,
  type MetricDraft,
  type MetricKind,
  type MetricsReader,
  type PointDraft,
} from '../drafts.ts';
import { emptyMetric } from '../proto/proto-metrics.ts';
import { emptyPoint } from '../proto/proto-points.ts';
import {
  addAttributes,
  bigOf,
  listOf,
  numberOf,
  numbersOf,
  objectOf,
  parseJson,
  textOf,
} from './json-values.ts';

/** An ExportMetricsServiceRequest in JSON, metric by metric. */
export function readJsonMetrics(bytes: Buffer, to: MetricsReader): void {
  for (const part of listOf(parseJson(bytes).resourceMetrics, 'resourceMetrics')) {
    const resource = attributeList();
    addAttributes(objectOf(part.resource, 'resource').attributes, resource);
    to.resource(resource);
    for (const { metrics } of listOf(part.scopeMetrics, 'scopeMetrics')) {
      for (const metric of listOf(metrics, 'metrics')) to.metric(readMetric(metric, to));
    }
  }
}

const kinds: readonly (readonly [field: string, kind: MetricKind])[] = [
  ['gauge', 'gauge'],
  ['sum', 'sum'],
  ['histogram', 'histogram'],
  ['exponentialHistogram', 'exponential'],
  ['summary', 'summary'],
];

function readMetric(source: JsonObject, to: MetricsReader): MetricDraft {
  const metric = { ...emptyMetric(), name: textOf(source.name), unit: textOf(source.unit) };
  for (const [field, kind] of kinds) {
    if (source[field] === undefined) continue;
    const data = objectOf(source[field], field);
    metric.kind = kind;
    metric.temporality = numberOf(data.aggregationTemporality);
    metric.isMonotonic = data.isMonotonic === true;
    for (const point of listOf(data.dataPoints, 'dataPoints')) {
      if (to.hasRoom(metric.points.length)) metric.points.push(readPoint(point, kind));
      else to.pass();
    }
  }
  return metric;
}

function readPoint(source: JsonObject, kind: MetricKind): PointDraft {
  const isNumber = kind === 'gauge' || kind === 'sum';
  const point: PointDraft = {
    ...emptyPoint(),
    atNs: bigOf(source.timeUnixNano),
    value: numberOf(isNumber ? (source.asDouble ?? source.asInt) : source.sum),
    count: numberOf(source.count),
    bounds: numbersOf(source.explicitBounds),
    counts: numbersOf(source.bucketCounts),
    quantiles: listOf(source.quantileValues, 'quantileValues')
      .slice(0, telemetryLimits.telemetryBucketsMax + 1)
      .map(({ quantile, value }) => [numberOf(quantile), numberOf(value)]),
    exponential: kind === 'exponential' ? exponentialOf(source) : null,
    flags: numberOf(source.flags),
  };
  addAttributes(source.attributes, point);
  return point;
}

function exponentialOf(source: JsonObject): PointDraft['exponential'] {
  return {
    scale: numberOf(source.scale),
    zeroCount: numberOf(source.zeroCount),
    zeroThreshold: numberOf(source.zeroThreshold),
    positive: bucketsOf(source.positive),
    negative: bucketsOf(source.negative),
  };
}

function bucketsOf(value: JsonObject[string] | undefined): BucketsDraft {
  const { offset, bucketCounts } = objectOf(value, 'buckets');
  return { offset: numberOf(offset), counts: numbersOf(bucketCounts) };
}
