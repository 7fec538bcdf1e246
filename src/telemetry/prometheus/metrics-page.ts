import type { Clock } from '../../kernel/index.ts';
import { instanceLabel, laneLabel } from '../lane-key.ts';
import { telemetryLimits } from '../limits.ts';
import type { MetricRow, TelemetryRows } from '../rows.ts';
import { type ExposedMetric, expositionType, printExposition } from './exposition.ts';
import { RequestMetrics } from './request-metrics.ts';

/** `/metrics` of telemetry: incoming rows in the form that a Prometheus server reads. */
export class MetricsPage {
  readonly #requests: RequestMetrics;
  readonly #memory: MemoryMetrics;

  constructor(clock: Clock) {
    this.#requests = new RequestMetrics(clock);
    this.#memory = new MemoryMetrics(clock);
  }

  /** Every stored row passes here first, so it must be cheap. */
  see({ spans = [], metrics = [] }: Partial<TelemetryRows>): void {
    this.#requests.see(spans);
    this.#memory.see(metrics);
  }

  /** With the metrics of the process itself. */
  print(own: readonly ExposedMetric[]): { contentType: string; text: string } {
    const folded: ExposedMetric = {
      name: 'surety_telemetry_folded_requests_total',
      help: 'Requests that are counted without their labels, of which there were too many.',
      type: 'counter',
      samples: [{ labels: [], value: this.#requests.folded }],
    };
    const metrics = [...this.#requests.expose(), this.#memory.expose(), folded, ...own];
    return { contentType: expositionType, text: printExposition(metrics) };
  }
}

/** The names of memory metrics in different conventions. */
const names: ReadonlySet<string> = new Set([
  'process.memory.usage',
  'process_resident_memory_bytes',
  'container.memory.usage',
  'container_memory_usage_bytes',
]);

interface Use {
  readonly labels: readonly (readonly [string, string])[];
  readonly bytes: number;
  readonly toldAt: number;
}

/** An older report is ignored: its process is gone. */
export const memoryStaleMs: number = 60_000;

/** The last reported memory of every instance. */
export class MemoryMetrics {
  readonly #uses = new Map<string, Use>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  see(metrics: readonly MetricRow[]): void {
    for (const row of metrics) if (names.has(row.name)) this.#note(row);
  }

  #note({ service, instance, lane, value }: MetricRow): void {
    const key = `${service}\n${instance}`;
    if (!this.#uses.has(key) && this.#uses.size >= telemetryLimits.exposedSeriesMax) this.#sweep();
    if (!this.#uses.has(key) && this.#uses.size >= telemetryLimits.exposedSeriesMax) return;
    const labels = Object.entries({
      service,
      instance: instanceLabel(instance),
      lane: laneLabel(lane),
    }).map(([name, text]) => [name, text.slice(0, telemetryLimits.exposedLabelCharsMax)] as const);
    this.#uses.set(key, { labels, bytes: value, toldAt: this.#clock.now() });
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [key, { toldAt }] of this.#uses)
      if (now - toldAt > memoryStaleMs) this.#uses.delete(key);
  }

  expose(): ExposedMetric {
    this.#sweep();
    return {
      name: 'container_memory_usage_bytes',
      help: 'Resident memory of the processes of services.',
      type: 'gauge',
      samples: [...this.#uses.values()].map(({ labels, bytes }) => ({ labels, value: bytes })),
    };
  }
}
