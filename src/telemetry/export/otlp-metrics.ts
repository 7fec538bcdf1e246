import type { MetricRow } from '../rows.ts';
import { attributesIn, byOrigin, writeAttributes, writeResource } from './otlp-values.ts';
import { ProtoWriter } from './proto-writer.ts';

/** An ExportMetricsServiceRequest. */
export function encodeMetrics(metrics: readonly MetricRow[]): Buffer {
  const writer = new ProtoWriter();
  for (const { origin, rows } of byOrigin(metrics))
    writeResource(writer, origin, (scope) => {
      for (const row of rows) scope.message(2, (metric) => writeMetric(metric, row));
    });
  return writer.finish();
}

const temporalities = { delta: 1, cumulative: 2 } as const;

function writeMetric(metric: ProtoWriter, row: MetricRow): void {
  metric.text(1, row.name).text(3, row.unit);
  const temporality = row.isDelta ? temporalities.delta : temporalities.cumulative;
  if (row.kind === 'gauge') metric.message(5, (gauge) => writeNumber(gauge, row));
  if (row.kind === 'counter')
    metric.message(7, (sum) => {
      writeNumber(sum, row);
      sum.number(2, temporality).number(3, 1);
    });
  if (row.kind === 'histogram')
    metric.message(9, (histogram) => {
      histogram.message(1, (point) => writeHistogram(point, row));
      histogram.number(2, temporality);
    });
  if (row.kind === 'summary')
    metric.message(11, (summary) => summary.message(1, (point) => writeSummary(point, row)));
}

function writeNumber(writer: ProtoWriter, row: MetricRow): void {
  writer.message(1, (point) => {
    point.fixed64(3, row.atNs).double(4, row.value);
    writeAttributes(point, 7, attributesIn(row.labels));
  });
}

function writeHistogram(point: ProtoWriter, row: MetricRow): void {
  const buckets = pairsIn(row.buckets);
  // Our buckets count up to their bound; those of OTLP count between two bounds.
  const counts = buckets.map(([, upTo], index) => upTo - (buckets[index - 1]?.[1] ?? 0));
  const bounds = buckets.map(([bound]) => bound).filter(Number.isFinite);
  const last = buckets.at(-1);
  const count = row.count ?? last?.[1] ?? 0;
  if (last && Number.isFinite(last[0])) counts.push(count - last[1]);
  point
    .fixed64(3, row.atNs)
    .fixed64(4, BigInt(Math.round(count)))
    .double(5, row.value);
  if (counts.length > 0)
    point.packedFixed64(
      6,
      counts.map((one) => BigInt(Math.max(0, Math.round(one)))),
    );
  if (bounds.length > 0) point.packedDoubles(7, bounds);
  writeAttributes(point, 9, attributesIn(row.labels));
}

function writeSummary(point: ProtoWriter, row: MetricRow): void {
  point
    .fixed64(3, row.atNs)
    .fixed64(4, BigInt(Math.round(row.count ?? 0)))
    .double(5, row.value);
  for (const [quantile, value] of pairsIn(row.buckets))
    point.message(6, (at) => at.double(1, quantile).double(2, value));
  writeAttributes(point, 7, attributesIn(row.labels));
}

/** In JSON the bound of the last bucket is null, because JSON has no infinity. */
function pairsIn(text: string): [number, number][] {
  try {
    const pairs = JSON.parse(text) as [number | null, number | null][];
    return pairs.map(([bound, value]) => [bound ?? Infinity, value ?? 0]);
  } catch {
    return [];
  }
}
