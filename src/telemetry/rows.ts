/** Nanoseconds since 1970. */
export type Nanoseconds = bigint;

/** Who said it. Empty texts stand for what is not known: they are cheaper to keep than nulls. */
export interface Origin {
  readonly service: string;
  /** Which run of which version: `pricing/lane_…/…`; else the id that its SDK gave. */
  readonly instance: string;
  /** The key of the lane that it was said for, also by services of the baseline. */
  readonly lane: string;
}

export interface SpanRow extends Origin {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  readonly status: 'unset' | 'ok' | 'error';
  readonly statusMessage: string;
  // Taken out of the attributes, since questions group and filter by them.
  readonly method: string;
  readonly route: string;
  readonly httpStatus: number | null;
  /** Who was called: a service where that is known, else `host:port`. */
  readonly peer: string;
  readonly requestId: string;
  readonly errorSignature: string;
  readonly cpuUs: number | null;
  readonly requestBytes: number | null;
  readonly responseBytes: number | null;
  /** Downstream calls that were made for it. */
  readonly calls: number | null;
  /** A JSON object of all others. */
  readonly attributes: string;
  /** A JSON list of `{at, name, attributes}`. */
  readonly events: string;
}

export interface LogRow extends Origin {
  readonly atNs: Nanoseconds;
  readonly traceId: string;
  readonly spanId: string;
  readonly severity: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | '';
  readonly text: string;
  /** The text without numbers, ids and quoted parts: the same for lines that say the same. */
  readonly signature: string;
  /** How it came: by a service's own output, or by a report. */
  readonly source: 'stdout' | 'stderr' | 'otlp';
  readonly attributes: string;
}

/** One point of one series. */
export interface MetricRow extends Origin {
  readonly atNs: Nanoseconds;
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'counter' | 'histogram' | 'summary';
  /** Counters and histograms that start anew with each report, and not with the process. */
  readonly isDelta: boolean;
  /** Of a gauge or counter; the sum of a histogram or summary. */
  readonly value: number;
  /** Of a histogram or summary. */
  readonly count: number | null;
  /** A JSON list of `[upper bound, count up to it]`; of a summary, of `[quantile, value]`. */
  readonly buckets: string;
  /** A JSON object, its keys in order: what tells the series of one name apart. */
  readonly labels: string;
}

/** One request of a lane from one service to another, as the router saw it. */
export interface HopRow {
  readonly atNs: Nanoseconds;
  readonly lane: string;
  readonly traceId: string;
  readonly requestId: string;
  readonly caller: string;
  readonly callee: string;
  readonly instance: string;
  readonly served: string;
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationNs: Nanoseconds;
  readonly isAnswered: boolean;
  readonly isRecovered: boolean;
  readonly isEscaped: boolean;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** What was said, as a shape without values (JSON); empty where it was no JSON. */
  readonly requestShape: string;
  readonly responseShape: string;
}

export interface DeploymentRow {
  readonly atNs: Nanoseconds;
  readonly kind: 'promotion' | 'deployment' | 'configuration';
  readonly service: string;
  readonly version: string;
  readonly previous: string;
  readonly actor: string;
  readonly note: string;
}

export interface AlertRow {
  readonly atNs: Nanoseconds;
  readonly name: string;
  readonly state: 'firing' | 'resolved';
  readonly service: string;
  readonly metric: string;
  readonly note: string;
  /** Who told it: `surety`, `alertmanager`, or the name of a webhook. */
  readonly source: string;
  readonly labels: string;
}

/** What can be stored, by the table that it goes to. */
export interface TelemetryRows {
  readonly spans: readonly SpanRow[];
  readonly logs: readonly LogRow[];
  readonly metrics: readonly MetricRow[];
  readonly hops: readonly HopRow[];
  readonly deployments: readonly DeploymentRow[];
  readonly alerts: readonly AlertRow[];
}

/** Where everything that comes in goes. It never waits for a disk. */
export interface Sink {
  /** How many rows did not fit any more, for the partial-success answer; they are counted. */
  take(rows: Partial<TelemetryRows>): { readonly refused: number };
  /** Whether the next batch should be sent later instead (429 or UNAVAILABLE). */
  isFull(): boolean;
}
