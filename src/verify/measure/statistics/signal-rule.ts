/** A quantity of which more is worse, such as CPU time per request. */
export interface MeasuredRule {
  readonly kind: 'measured';
  /** Relative: a candidate that is worse by less than this is nobody's concern. */
  readonly margin: number;
  /** Relative: `not-worse` has ruled out that the candidate is worse by as much as this. */
  readonly tolerance: number;
  /** In the signal's unit: what can't be told from nothing. */
  readonly floor: number;
}

/** Something that is counted and mostly happens a fixed number of times, such as errors. */
export interface CountedRule {
  readonly kind: 'counted';
  /** `not-worse` has ruled out that it happens more often in so large a share of pairs. */
  readonly shareMax: number;
}

export type SignalRule = MeasuredRule | CountedRule;

/** What is measured of a request or a process, and how much of it matters. */
export const signalRules = {
  'cpu-us': { kind: 'measured', margin: 0.05, tolerance: 0.2, floor: 20 },
  /** All of a request from outside, whoever serves it. */
  'request-ms': { kind: 'measured', margin: 0.1, tolerance: 0.5, floor: 1 },
  /** Of a service, without those that it waited for. */
  'latency-ms': { kind: 'measured', margin: 0.1, tolerance: 0.5, floor: 0.5 },
  'response-bytes': { kind: 'measured', margin: 0.1, tolerance: 0.25, floor: 64 },
  'downstream-calls': { kind: 'counted', shareMax: 0.1 },
  errors: { kind: 'counted', shareMax: 0.1 },
} as const satisfies Readonly<Record<string, SignalRule>>;

export type SignalName = keyof typeof signalRules;
