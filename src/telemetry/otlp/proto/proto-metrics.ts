import type { MetricDraft, MetricKind, MetricsReader } from '../drafts.ts';
import {
  readExponentialPoint,
  readHistogramPoint,
  readNumberPoint,
  readSummaryPoint,
} from './proto-points.ts';
import { ProtoReader } from './proto-reader.ts';
import { resourceAhead } from './proto-traces.ts';

// Field numbers and wire types of opentelemetry/proto/metrics/v1/metrics.proto, as written.

/** An ExportMetricsServiceRequest, metric by metric. */
export function readProtoMetrics(bytes: Buffer, to: MetricsReader): void {
  const reader = new ProtoReader(bytes);
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a) readResourceMetrics(reader, to);
    else reader.skip(tag);
  }
}

function readResourceMetrics(reader: ProtoReader, to: MetricsReader): void {
  const outer = reader.enter();
  to.resource(resourceAhead(reader));
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x12) readScopeMetrics(reader, to);
    else reader.skip(tag);
  }
  reader.leave(outer);
}

function readScopeMetrics(reader: ProtoReader, to: MetricsReader): void {
  const outer = reader.enter();
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x12) to.metric(readMetric(reader, to));
    else reader.skip(tag);
  }
  reader.leave(outer);
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

function readMetric(reader: ProtoReader, to: MetricsReader): MetricDraft {
  const outer = reader.enter();
  const metric = emptyMetric();
  while (!reader.isDone) {
    const tag = reader.tag();
    const kind = kinds[tag];
    if (tag === 0x0a) metric.name = reader.text();
    else if (tag === 0x1a) metric.unit = reader.text();
    else if (kind) readData(reader, metric, { kind, to });
    else reader.skip(tag);
  }
  reader.leave(outer);
  return metric;
}

function readData(
  reader: ProtoReader,
  metric: MetricDraft,
  { kind, to }: { kind: MetricKind; to: MetricsReader },
): void {
  const outer = reader.enter();
  metric.kind = kind;
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a && to.hasRoom(metric.points.length))
      metric.points.push(readPoint[kind](reader));
    else if (tag === 0x0a) {
      reader.skip(tag);
      to.pass();
    } else if (tag === 0x10) metric.temporality = reader.uint32();
    else if (tag === 0x18) metric.isMonotonic = reader.uint32() !== 0;
    else reader.skip(tag);
  }
  reader.leave(outer);
}
