import { type Clock, fault } from '../kernel/index.ts';
import type { TelemetryControls } from './control-contract.ts';
import { Exporter, type ExportSettings } from './export/exporter.ts';
import type { ExposedMetric } from './prometheus/exposition.ts';
import { MetricsPage } from './prometheus/metrics-page.ts';
import { readTargets, Scraper } from './prometheus/scrape.ts';
import { readRecord } from './record.ts';
import { redactRows } from './redact-rows.ts';
import type { MetricRow, Sink, TelemetryRows } from './rows.ts';
import type { EdgesStatus } from './status.ts';

export interface EdgesDeps {
  /** Stores rows. */
  readonly sink: Sink;
  readonly clock: Clock;
  readonly export?: ExportSettings | undefined;
  /** The counters of the process. */
  readonly counts: () => Readonly<Record<string, number>>;
  /** Why nothing is accepted at present; null if rows are accepted. */
  readonly closedBecause: () => string | null;
}

export type EdgeControls = Pick<TelemetryControls, 'POST /control/record' | 'PUT /control/targets'>;

/** All ways except OTLP by which rows come in and go out. */
export interface Edges {
  /** In front of the store: removes the secrets of all rows. */
  readonly sink: Sink;
  readonly controls: EdgeControls;
  /** `/metrics`, with the counters of the process. */
  page(): string;
  status(): EdgesStatus;
  close(): Promise<void>;
}

export function createEdges(deps: EdgesDeps): Edges {
  const { sink: stored, clock, export: copies, counts } = deps;
  const metricsPage = new MetricsPage(clock);
  const exporter = copies ? new Exporter(copies) : undefined;
  let lostHops = 0;
  const sink: Sink = {
    take: (reported: Partial<TelemetryRows>) => {
      const rows = redactRows(reported);
      metricsPage.see(rows);
      exporter?.see(rows);
      return stored.take(rows);
    },
    isFull: () => stored.isFull(),
  };
  const scraper = new Scraper({ sink, clock });
  const status = (): EdgesStatus => ({
    scrapes: scraper.status(),
    export: exporter?.status() ?? null,
    lostHops,
  });
  const own = (): ExposedMetric[] => ownMetrics(counts(), status());
  const timer = setInterval(() => exporter?.seeOwn(ownRows(own(), clock.now())), ownMetricsEveryMs);
  timer.unref();
  return {
    sink,
    controls: {
      'POST /control/record': (body) => {
        const reason = deps.closedBecause();
        if (reason !== null) throw fault('TELEMETRY_CLOSED', { reason });
        lostHops += typeof body.lostHops === 'number' ? body.lostHops : 0;
        return sink.take(readRecord(body));
      },
      'PUT /control/targets': (body) => scraper.follow(readTargets(body)),
    },
    page: () => metricsPage.print(own()).text,
    status,
    close: async () => {
      clearInterval(timer);
      exporter?.seeOwn(ownRows(own(), clock.now()));
      scraper.stop();
      await exporter?.close();
    },
  };
}

const ownMetricsEveryMs = 15_000;

/** Metrics about telemetry itself. */
function ownMetrics(
  counts: Readonly<Record<string, number>>,
  { scrapes, export: copies, lostHops }: EdgesStatus,
): ExposedMetric[] {
  const counter = (name: string, help: string, value: number): ExposedMetric => ({
    name: `surety_telemetry_${name}_total`,
    help,
    type: 'counter',
    samples: [{ labels: [], value }],
  });
  const failures = scrapes.reduce((sum, one) => sum + one.failures, 0);
  return [
    {
      name: 'surety_telemetry_events_total',
      help: 'What happened to rows on their way in.',
      type: 'counter',
      samples: Object.entries(counts).map(([what, value]) => ({
        labels: [['what', what]],
        value,
      })),
    },
    counter('lost_hops', 'Hops that the router could not tell.', lostHops),
    counter('failed_scrapes', 'Times that metrics of a service could not be read.', failures),
    ...(copies
      ? [
          counter('exported_rows', 'Rows of which a copy was sent.', copies.sent),
          counter('lost_exports', 'Rows of which no copy could be sent.', copies.lost),
        ]
      : []),
  ];
}

/** The same metrics as rows of a service named after us. */
function ownRows(metrics: readonly ExposedMetric[], now: number): MetricRow[] {
  return metrics.flatMap(({ name, samples }) =>
    [...samples].map(({ labels, value }) => ({
      service: 'surety',
      instance: 'surety/telemetry',
      lane: '',
      atNs: BigInt(now) * 1_000_000n,
      name,
      unit: '',
      kind: 'counter' as const,
      isDelta: false,
      value,
      count: null,
      buckets: '[]',
      labels: JSON.stringify(Object.fromEntries(labels)),
    })),
  );
}
