/** The value of an attribute as JSON; numbers that JSON would round are texts of digits. */
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

/** Keys and values of attributes, in their original order. */
export interface AttributeList {
  readonly keys: string[];
  readonly values: AttributeValue[];
  /** The number of attributes that the sender itself left out. */
  dropped: number;
}

/** One span of OTLP, read from protobuf or JSON, before anything is checked. */
export interface SpanDraft extends AttributeList {
  /** Ids in hex digits, of any length. */
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
  /** The value of a number, or the sum of another kind. */
  value: number;
  count: number;
  /** Of a histogram: upper bounds, and one more count than bounds. */
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

/** The sender of a message. */
export interface ResourceDraft extends AttributeList {}

/** Receives the items of a message while it is being read. */
export interface MessageReader {
  resource(resource: ResourceDraft): void;
  /** Whether one more item is accepted, in addition to `besides` that were announced. */
  hasRoom(besides?: number): boolean;
  /** Notes that an item was left out for lack of room. */
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
