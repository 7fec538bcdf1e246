import type { MetricDraft, MetricKind, MetricsReader } from '../drafts.ts';
import {
  readExponentialPoint,
  readHistogramPoint,
  readNumberPoint,
  readSummaryPoint,
} from './proto-points.ts';
import type { ReadField } from './proto-reader.ts';
import { readScopes } from './proto-scopes.ts';

// Field numbers and wire types of opentelemetry/proto/metrics/v1/metrics.proto, as written.

/** An ExportMetricsServiceRequest, metric by metric. */
export function readProtoMetrics(bytes: Buffer, to: MetricsReader): void {
  const readMetricField: ReadField<MetricDraft> = (reader, tag, metric) => {
    const kind = kinds[tag];
    if (tag === 0x0a) metric.name = reader.text();
    else if (tag === 0x1a) metric.unit = reader.text();
    else if (kind) {
      metric.kind = kind;
      reader.message(metric, readDataField);
    } else reader.skip(tag);
  };
  const readDataField: ReadField<MetricDraft> = (reader, tag, metric) => {
    if (tag === 0x0a && to.hasRoom(metric.points.length))
      metric.points.push(readPoint[metric.kind](reader));
    else if (tag === 0x0a) {
      reader.skip(tag);
      to.pass();
    } else if (tag === 0x10) metric.temporality = reader.uint32();
    else if (tag === 0x18) metric.isMonotonic = reader.uint32() !== 0;
    else reader.skip(tag);
  };
  readScopes(bytes, to, (reader, tag) => {
    if (tag === 0x12) to.metric(reader.message(emptyMetric(), readMetricField));
    else reader.skip(tag);
  });
}

export function emptyMetric(): MetricDraft {
  return { name: '', unit: '', kind: 'gauge', temporality: 0, isMonotonic: false, points: [] };
}

const kinds: Readonly<Record<number, MetricKind>> = {
  42: 'gauge',
  58: 'sum',
  74: 'histogram',
  82: 'exponential',
  90: 'summary',
};

const readPoint = {
  gauge: readNumberPoint,
  sum: readNumberPoint,
  histogram: readHistogramPoint,
  exponential: readExponentialPoint,
  summary: readSummaryPoint,
} as const;
