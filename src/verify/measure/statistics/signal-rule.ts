/** A quantity of which more is worse, such as CPU time per request. */
export interface MeasuredRule {
  readonly kind: 'measured';
  /** Relative: worse by less than this does not matter. */
  readonly margin: number;
  /** Relative: `not-worse` rules out that the candidate is worse by this much. */
  readonly tolerance: number;
  /** In the signal's unit: not distinguishable from 0. */
  readonly floor: number;
}

/** A count that is mostly constant, such as errors. */
export interface CountedRule {
  readonly kind: 'counted';
  /** `not-worse` rules out that it is higher in this share of pairs. */
  readonly shareMax: number;
}

export type SignalRule = MeasuredRule | CountedRule;

/** The signals of a request or a process, and how much of each matters. */
export const signalRules = {
  'cpu-us': { kind: 'measured', margin: 0.05, tolerance: 0.2, floor: 20 },
  /** The whole request from outside, whichever service serves it. */
  'request-ms': { kind: 'measured', margin: 0.1, tolerance: 0.5, floor: 1 },
  /** Of a service, without its waits for others. */
  'latency-ms': { kind: 'measured', margin: 0.1, tolerance: 0.5, floor: 0.5 },
  'response-bytes': { kind: 'measured', margin: 0.1, tolerance: 0.25, floor: 64 },
  'downstream-calls': { kind: 'counted', shareMax: 0.1 },
  errors: { kind: 'counted', shareMax: 0.1 },
} as const satisfies Readonly<Record<string, SignalRule>>;

export type SignalName = keyof typeof signalRules;
