import type { Clock } from '../../kernel/index.ts';
import type { TelemetryRows } from '../rows.ts';
import { type ExposedMetric, expositionType, printExposition } from './exposition.ts';
import { MemoryMetrics } from './memory-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';

/** `/metrics` of telemetry: what came in, as a Prometheus server reads it. */
export class MetricsPage {
  readonly #requests: RequestMetrics;
  readonly #memory: MemoryMetrics;

  constructor(clock: Clock) {
    this.#requests = new RequestMetrics(clock);
    this.#memory = new MemoryMetrics(clock);
  }

  /** Everything that is stored passes here first, so it costs every row. */
  see({ spans = [], metrics = [] }: Partial<TelemetryRows>): void {
    this.#requests.see(spans);
    this.#memory.see(metrics);
  }

  /** With the signals of the process itself. */
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
