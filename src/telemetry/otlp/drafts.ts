/** A value of an attribute, as JSON says it; numbers that JSON would round are texts of digits. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | readonly AttributeValue[]
  | ValueMap;

export interface ValueMap {
  readonly [key: string]: AttributeValue;
}

/** Keys and values of attributes, in the order in which they came. */
export interface AttributeList {
  readonly keys: string[];
  readonly values: AttributeValue[];
  /** Those that the sender itself has left out. */
  dropped: number;
}

/** What OTLP says about one span, whether in protobuf or JSON, before anything is checked. */
export interface SpanDraft extends AttributeList {
  /** Ids in hex digits; of whatever length they came in. */
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  name: string;
  kind: number;
  startNs: bigint;
  endNs: bigint;
  statusCode: number;
  statusMessage: string;
  events: EventDraft[];
  links: LinkDraft[];
}

export interface EventDraft extends AttributeList {
  atNs: bigint;
  name: string;
}

export interface LinkDraft {
  traceId: string;
  spanId: string;
}

export interface LogDraft extends AttributeList {
  atNs: bigint;
  observedNs: bigint;
  severityNumber: number;
  severityText: string;
  body: AttributeValue;
  traceId: string;
  spanId: string;
  eventName: string;
}

export type MetricKind = 'gauge' | 'sum' | 'histogram' | 'exponential' | 'summary';

/** What all points of a metric have in common. */
export interface MetricDraft {
  name: string;
  unit: string;
  kind: MetricKind;
  /** 1: delta, 2: cumulative. */
  temporality: number;
  isMonotonic: boolean;
  points: PointDraft[];
}

export interface PointDraft extends AttributeList {
  atNs: bigint;
  /** The value of a number, the sum of all others. */
  value: number;
  count: number;
  /** Of a histogram: upper bounds, and counts of which there is one more. */
  bounds: number[];
  counts: number[];
  exponential: ExponentialDraft | null;
  /** Of a summary. */
  quantiles: [number, number][];
  flags: number;
}

export interface ExponentialDraft {
  scale: number;
  zeroCount: number;
  zeroThreshold: number;
  positive: BucketsDraft;
  negative: BucketsDraft;
}

export interface BucketsDraft {
  offset: number;
  counts: number[];
}

/** Who a message is from. */
export interface ResourceDraft extends AttributeList {}

/** Whoever is told what a message says, while it is being read. */
export interface MessageReader {
  resource(resource: ResourceDraft): void;
  /** Whether one more is taken, besides those that it is about to be told. */
  hasRoom(besides?: number): boolean;
  /** One was left out for want of room. */
  pass(): void;
}

export interface TracesReader extends MessageReader {
  span(span: SpanDraft): void;
}

export interface LogsReader extends MessageReader {
  scope(name: string): void;
  log(log: LogDraft): void;
}

export interface MetricsReader extends MessageReader {
  metric(metric: MetricDraft): void;
}

export function attributeList(): AttributeList {
  return { keys: [], values: [], dropped: 0 };
}
