import type { Clock } from '../../kernel/index.ts';
import { laneLabel } from '../lane-key.ts';
import { telemetryLimits } from '../limits.ts';
import type { SpanRow } from '../rows.ts';
import type { ExposedMetric, ExposedSample } from './exposition.ts';

/** Upper bounds in seconds, the usual ones and two lower ones for fast programs. */
export const durationBounds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

interface Series {
  readonly labels: readonly (readonly [string, string])[];
  readonly buckets: Float64Array;
  seconds: number;
  count: number;
  usedAt: number;
}

/** A series without new requests for this long is dropped, since lanes come and go. */
export const idleSeriesMs: number = 60 * 60 * 1_000;

/** Requests by service, route, method, status and lane, counted as their spans arrive. */
export class RequestMetrics {
  readonly #series = new Map<string, Series>();
  readonly #clock: Clock;
  #folded = 0;
  #sweptAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  see(spans: readonly SpanRow[]): void {
    const now = this.#clock.now();
    for (const span of spans) if (span.kind === 'server') this.#add(span, now);
  }

  /** Requests counted without their labels, because there were too many label sets. */
  get folded(): number {
    return this.#folded;
  }

  #add(span: SpanRow, now: number): void {
    const series = this.#find(span, now);
    const seconds = Number(span.durationNs) / 1e9;
    const place = durationBounds.findIndex((bound) => seconds <= bound);
    const at = place < 0 ? durationBounds.length : place;
    series.buckets[at] = (series.buckets[at] ?? 0) + 1;
    series.seconds += seconds;
    series.count++;
    series.usedAt = now;
  }

  #find(span: SpanRow, now: number): Series {
    const { service, route, method, lane } = span;
    const status = statusOf(span);
    const key = `${service}\n${route}\n${method}\n${status}\n${lane}`;
    const known = this.#series.get(key);
    if (known) return known;
    if (this.#series.size >= telemetryLimits.exposedSeriesMax) this.#sweep(now);
    if (this.#series.size < telemetryLimits.exposedSeriesMax)
      return this.#make(key, { service, route, method, status, lane: laneLabel(lane) });
    this.#folded++;
    const labels = { service: other, route: other, method: other, status, lane: '' };
    return this.#series.get(`\n${status}`) ?? this.#make(`\n${status}`, labels);
  }

  #make(key: string, labels: Readonly<Record<string, string>>): Series {
    const series = {
      labels: Object.entries(labels).map(([name, text]) => [name, cut(text)] as const),
      buckets: new Float64Array(durationBounds.length + 1),
      seconds: 0,
      count: 0,
      usedAt: 0,
    };
    this.#series.set(key, series);
    return series;
  }

  /** Runs at intervals only: if all series are in use, it finds nothing. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    for (const [key, { usedAt }] of this.#series)
      if (now - usedAt > idleSeriesMs) this.#series.delete(key);
  }

  expose(): ExposedMetric[] {
    const all = [...this.#series.values()];
    return [
      {
        name: 'http_requests_total',
        help: 'Requests that services answered, by their spans.',
        type: 'counter',
        samples: all.map(({ labels, count }) => ({ labels, value: count })),
      },
      {
        name: 'http_request_duration_seconds',
        help: 'How long services took to answer.',
        type: 'histogram',
        samples: all.flatMap(histogramSamples),
      },
    ];
  }
}

const other = '(other)';
const sweepEveryMs = 10_000;

function cut(text: string): string {
  return text.slice(0, telemetryLimits.exposedLabelCharsMax);
}

/** Requests that are not HTTP have only succeeded or failed. */
function statusOf({ httpStatus, status }: SpanRow): string {
  if (httpStatus === null) return status === 'error' ? 'error' : 'ok';
  return httpStatus >= 100 && httpStatus <= 999 ? String(httpStatus) : 'invalid';
}

function histogramSamples({ labels, buckets, seconds, count }: Series): ExposedSample[] {
  let sum = 0;
  const bucketSamples = durationBounds.map((bound, index): ExposedSample => {
    sum += buckets[index] ?? 0;
    return { suffix: '_bucket', labels: [...labels, ['le', String(bound)]], value: sum };
  });
  return [
    ...bucketSamples,
    { suffix: '_bucket', labels: [...labels, ['le', '+Inf']], value: count },
    { suffix: '_sum', labels, value: seconds },
    { suffix: '_count', labels, value: count },
  ];
}
