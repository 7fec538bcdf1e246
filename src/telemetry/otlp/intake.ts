import type { Clock } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { LogRow, MetricRow, Sink, SpanRow, TelemetryRows } from '../rows.ts';
import { IntakeCounts } from './counts.ts';
import { Distinct } from './distinct.ts';
import type {
  LogDraft,
  LogsReader,
  MetricDraft,
  MetricsReader,
  ResourceDraft,
  SpanDraft,
  TracesReader,
} from './drafts.ts';
import type { LaneFinder, LaneSource } from './lane-finder.ts';
import { logProblem, logRow } from './log-row.ts';
import { isEmptyPoint, metricProblem, metricRow, pointProblem } from './metric-row.ts';
import type { KnownNames } from './names.ts';
import { type MessageSender, senderOf } from './origin.ts';
import { arrivalAt } from './plausible-time.ts';
import type { RowContext } from './row-context.ts';
import { provenSender } from './senders.ts';
import { spanProblem, spanRow } from './span-row.ts';

export interface IntakeDeps {
  readonly clock: Clock;
  readonly sink: Sink;
  readonly names: KnownNames;
  readonly lanes: LaneFinder;
}

/** How much of a message was rejected, and why. */
export interface IntakeResult {
  readonly rejected: number;
  readonly reason: string;
}

/** Converts OTLP messages to rows for the sink. One bad row never costs a batch. */
export class OtlpIntake {
  readonly counts: IntakeCounts = new IntakeCounts();
  readonly #deps: IntakeDeps;
  readonly #routes: Distinct;
  readonly #series: Distinct;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#routes = new Distinct('routes', telemetryLimits.telemetryRoutesMax, this.counts);
    this.#series = new Distinct('series', telemetryLimits.telemetrySeriesMax, this.counts);
  }

  isFull(): boolean {
    return this.#deps.sink.isFull();
  }

  traces(read: (to: TracesReader) => void, sender: string): IntakeResult {
    const batch = this.#batch<SpanRow>(sender);
    read({
      ...batch.reader,
      span: (span: SpanDraft) =>
        batch.take(spanProblem(span), (sender, known) => spanRow(span, sender, known)),
    });
    return this.#store(batch, { spans: withLanes(batch.rows, this.#lanesFor(sender)) });
  }

  logs(read: (to: LogsReader) => void, sender: string): IntakeResult {
    const batch = this.#batch<LogRow>(sender);
    let scope = '';
    read({
      ...batch.reader,
      scope: (name: string) => {
        scope = name;
      },
      log: (log: LogDraft) =>
        batch.take(logProblem(log), (sender, known) => logRow(log, { sender, scope }, known)),
    });
    return this.#store(batch, { logs: withLanes(batch.rows, this.#lanesFor(sender)) });
  }

  metrics(read: (to: MetricsReader) => void, sender: string): IntakeResult {
    const batch = this.#batch<MetricRow>(sender);
    read({
      ...batch.reader,
      metric: (metric: MetricDraft) => {
        for (const point of metric.points) {
          if (isEmptyPoint(point)) continue;
          batch.take(metricProblem(metric) || pointProblem(point), (sender, known) =>
            metricRow(metric, point, sender, known),
          );
        }
      },
    });
    return this.#store(batch, { metrics: batch.rows });
  }

  #batch<Row>(sender: string): Batch<Row> {
    const { names, clock } = this.#deps;
    const lanes = this.#lanesFor(sender);
    const arrival = arrivalAt(clock.now());
    const [routes, series, counts] = [this.#routes, this.#series, this.counts];
    return new Batch({ arrival, names, lanes, counts, routes, series }, sender);
  }

  #lanesFor(sender: string): LaneSource {
    const { lanes } = this.#deps;
    return sender === '' ? lanes.unproven : lanes;
  }

  #store<Row>(batch: Batch<Row>, rows: Partial<TelemetryRows>): IntakeResult {
    this.counts.add('rows received', batch.rows.length + batch.rejected);
    if (batch.rejected > 0) this.counts.add('rows rejected', batch.rejected);
    const { refused } = batch.rows.length === 0 ? { refused: 0 } : this.#deps.sink.take(rows);
    if (refused > 0) batch.reject('the queue of the store is full', refused);
    return { rejected: batch.rejected, reason: batch.reason() };
  }
}

/** A span may arrive before the span of its trace that names the lane. */
function withLanes<Row extends SpanRow | LogRow>(
  rows: readonly Row[],
  lanes: LaneSource,
): readonly Row[] {
  for (const row of rows) {
    if (row.lane !== '' || row.traceId === '') continue;
    const lane = lanes.byTrace(row.traceId);
    if (lane !== '') (row as { lane: string }).lane = lane;
  }
  return rows;
}

/** The rows of one message, and what could not be converted. */
class Batch<Row> {
  readonly rows: Row[] = [];
  rejected = 0;
  readonly #known: RowContext;
  readonly #proven: string;
  readonly #reasons = new Map<string, number>();
  #sender: MessageSender = { service: '', instance: '', lane: '', members: '' };

  constructor(known: RowContext, proven: string) {
    this.#known = known;
    this.#proven = proven;
  }

  get reader(): Pick<TracesReader, 'resource' | 'hasRoom' | 'pass'> {
    return {
      resource: (resource: ResourceDraft) => {
        this.#sender = provenSender(senderOf(resource), this.#proven);
      },
      hasRoom: (besides = 0) => this.rows.length + besides < telemetryLimits.telemetryItemsMax,
      pass: () => this.reject(`more than ${telemetryLimits.telemetryItemsMax} in one message`, 1),
    };
  }

  take(problem: string, make: (sender: MessageSender, known: RowContext) => Row): void {
    if (problem === '') this.rows.push(make(this.#sender, this.#known));
    else this.reject(problem, 1);
  }

  reject(reason: string, count: number): void {
    this.rejected += count;
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + count);
  }

  reason(): string {
    return [...this.#reasons].map(([reason, count]) => `${reason} (${count})`).join('; ');
  }
}
