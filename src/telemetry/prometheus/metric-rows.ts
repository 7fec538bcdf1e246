import { laneKey } from '../lane-key.ts';
import type { MetricRow, Origin } from '../rows.ts';
import type { Labels, MetricSample } from './sample-line.ts';
import type { Exposition, FamilyType } from './text-format.ts';

export interface ScrapeOrigin extends Origin {
  /** Nanoseconds since 1970: when it was scraped. */
  readonly atNs: bigint;
}

/** The points of an exposition: one per series, with the parts of a histogram joined. */
export function metricRows(exposition: Exposition, origin: ScrapeOrigin): MetricRow[] {
  const rows: MetricRow[] = [];
  const composed = new Map<string, ComposedMetric>();
  for (const sample of exposition.samples) {
    const part = partOf(sample.name, exposition);
    if (part.suffix === '_created') continue;
    if (part.type === 'histogram' || part.type === 'summary') {
      addPart(composed, sample, part);
    } else if (Number.isFinite(sample.value)) {
      rows.push({ ...common(sample, part, exposition, origin), value: sample.value, ...simple });
    }
  }
  for (const one of composed.values()) rows.push(composedRow(one, exposition, origin));
  return rows;
}

const simple = { count: null, buckets: '[]' } as const;

interface Part {
  readonly family: string;
  readonly suffix: string;
  readonly type: FamilyType;
}

const suffixes = ['_bucket', '_sum', '_count', '_created', '_total', '_gsum', '_gcount', '_info'];

/** `x_bucket` belongs to the histogram x if there is one; else it is a metric of its own. */
function partOf(name: string, { types }: Exposition): Part {
  const own = types.get(name);
  for (const suffix of own ? [] : suffixes) {
    const family = name.slice(0, -suffix.length);
    const type = name.endsWith(suffix) ? types.get(family) : undefined;
    if (type && isPartOf(suffix, type)) return { family, suffix, type };
  }
  return { family: name, suffix: '', type: own ?? 'untyped' };
}

function isPartOf(suffix: string, type: FamilyType): boolean {
  if (suffix === '_bucket') return type === 'histogram';
  if (suffix === '_created') return type !== 'gauge';
  if (suffix === '_total') return type === 'counter';
  if (suffix === '_info') return type === 'gauge';
  return type === 'histogram' || type === 'summary';
}

interface ComposedMetric {
  readonly part: Part;
  readonly sample: MetricSample;
  readonly labels: Labels;
  sum: number;
  count: number;
  readonly points: [number, number][];
}

/** The bucket or quantile is not a label of the series. */
function addPart(composed: Map<string, ComposedMetric>, sample: MetricSample, part: Part): void {
  const place = part.type === 'histogram' ? 'le' : 'quantile';
  const at = sample.labels.get(place);
  const labels = new Map([...sample.labels].filter(([name]) => name !== place));
  const key = `${part.family} ${labelText(labels)}`;
  const one = composed.get(key) ?? { part, sample, labels, sum: 0, count: 0, points: [] };
  composed.set(key, one);
  if (part.suffix.endsWith('sum')) one.sum = sample.value;
  else if (part.suffix.endsWith('count')) one.count = sample.value;
  else if (at !== undefined) one.points.push([boundOf(at), sample.value]);
}

const boundOf = (text: string): number => (/inf/i.test(text) ? Infinity : Number(text));

function composedRow(one: ComposedMetric, exposition: Exposition, origin: ScrapeOrigin): MetricRow {
  const points = one.points.toSorted(([left], [right]) => left - right);
  const last = points.at(-1);
  // A histogram may omit its count, which is then that of the last bucket.
  const all = one.part.type === 'histogram' && last?.[0] === Infinity ? last[1] : 0;
  const { labels } = one;
  return {
    ...common({ ...one.sample, labels }, one.part, exposition, origin),
    value: finite(one.sum),
    count: finite(one.count || all),
    // JSON has no infinity, so the bound of the last bucket is null.
    buckets: JSON.stringify(points),
  };
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

type Common = Omit<MetricRow, 'value' | 'count' | 'buckets'>;

function common(
  sample: MetricSample,
  part: Part,
  exposition: Exposition,
  origin: ScrapeOrigin,
): Common {
  const { service, instance } = origin;
  return {
    service,
    instance,
    // A candidate reports for its own lane; in an application, a label `lane` may mean anything.
    lane: origin.lane || laneKey(sample.labels.get('surety_lane') ?? ''),
    atNs: timeOf(sample, exposition, origin),
    name: part.type === 'histogram' || part.type === 'summary' ? part.family : sample.name,
    unit: exposition.units.get(part.family) ?? '',
    kind: part.type === 'untyped' ? guessKind(sample.name) : part.type,
    isDelta: false,
    labels: labelText(sample.labels),
  };
}

/** By the naming rules of Prometheus, because the program does not say. */
function guessKind(name: string): 'counter' | 'gauge' {
  return name.endsWith('_total') ? 'counter' : 'gauge';
}

/** A JSON object with sorted keys. */
function labelText(labels: Labels): string {
  const entries = [...labels].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify(Object.fromEntries(entries));
}

const dayMs = 24 * 60 * 60 * 1_000;

/** The reported time counts if it is at most a day old; else the time of the scrape. */
function timeOf(
  { stamp }: MetricSample,
  { isOpenMetrics }: Exposition,
  { atNs }: ScrapeOrigin,
): bigint {
  if (stamp === null) return atNs;
  const ms = Math.round(isOpenMetrics ? stamp * 1_000 : stamp);
  const now = Number(atNs / 1_000_000n);
  return ms <= now && now - ms < dayMs ? BigInt(ms) * 1_000_000n : atNs;
}
