/** Nanoseconds since 1970. */
export type Nanoseconds = bigint;

/**
 * The reporter. Empty texts stand for unknown values, because they are cheaper to store than nulls.
 */
export interface Origin {
  readonly service: string;
  /** Service, version and run, as in `pricing/lane_…/…`; else the id that its SDK gave. */
  readonly instance: string;
  /** The key of the lane that it belongs to, also for services of the baseline. */
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
  // Taken from the attributes, since questions group and filter by them.
  readonly method: string;
  readonly route: string;
  readonly httpStatus: number | null;
  /** The callee: a service if it is known, else `host:port`. */
  readonly peer: string;
  readonly requestId: string;
  readonly errorSignature: string;
  readonly cpuUs: number | null;
  readonly requestBytes: number | null;
  readonly responseBytes: number | null;
  /** Downstream calls made for it. */
  readonly calls: number | null;
  /** A JSON object of all other attributes. */
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
  /** The text without numbers, ids and quoted parts: the same for similar lines. */
  readonly signature: string;
  /** Where it came from: the output of a service, a report, or a probe. */
  readonly source: 'stdout' | 'stderr' | 'otlp' | 'probe';
  readonly attributes: string;
}

/** One point of one series. */
export interface MetricRow extends Origin {
  readonly atNs: Nanoseconds;
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'counter' | 'histogram' | 'summary';
  /** Whether counters and histograms start anew with each report, not with the process. */
  readonly isDelta: boolean;
  /** The value of a gauge or counter; the sum of a histogram or summary. */
  readonly value: number;
  /** The count of a histogram or summary. */
  readonly count: number | null;
  /** A JSON list of `[upper bound, count up to it]`; of a summary, of `[quantile, value]`. */
  readonly buckets: string;
  /** A JSON object with sorted keys, which distinguishes the series of one name. */
  readonly labels: string;
}

/** One request of a lane from one service to another, as the router recorded it. */
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
  /** The shape of the body without values (JSON); empty if it was not JSON. */
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
  /** The source: `surety`, `alertmanager`, or the name of a webhook. */
  readonly source: string;
  readonly labels: string;
}

/** The rows that can be stored, by table. */
export interface TelemetryRows {
  readonly spans: readonly SpanRow[];
  readonly logs: readonly LogRow[];
  readonly metrics: readonly MetricRow[];
  readonly hops: readonly HopRow[];
  readonly deployments: readonly DeploymentRow[];
  readonly alerts: readonly AlertRow[];
}

/** Receives all rows. It never waits for a disk. */
export interface Sink {
  /** Returns how many rows did not fit, for the partial-success answer; they are counted. */
  take(rows: Partial<TelemetryRows>): { readonly refused: number };
  /** Whether the next batch should be sent later instead (429 or UNAVAILABLE). */
  isFull(): boolean;
}
