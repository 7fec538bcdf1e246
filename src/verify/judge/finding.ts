import type { Json } from '../../kernel/index.ts';
import type { Difference } from '../compare/index.ts';
import type { ChangedLines } from './suspect-lines.ts';

/** What everything that is wrong with a change is told with, so that one can act on it. */
export type Evidence = {
  /** The same thing has the same id, whichever change does it. */
  readonly id: string;
  /** One request that shows it; null where none can be named. */
  readonly requestId: string | null;
  readonly traceId: string | null;
  /** The command that shows its trace; null where telemetry is off. */
  readonly trace: string | null;
  /** What the services said about that request. */
  readonly logs: readonly string[];
  /** The changed lines that most likely matter, the likeliest first. */
  readonly lines: readonly ChangedLines[];
  /** The command that shows it again. */
  readonly reproduction: string;
};

export type CheckFinding = Evidence & {
  readonly kind: 'check';
  /** The first changed service that the request went through; null when it met none. */
  readonly service: string | null;
  readonly suite: string;
  readonly check: string;
  readonly expected: Json;
  readonly actual: Json;
  /** The services that the request went through, and which instance served it. */
  readonly path: readonly string[];
};

/** A field that changed between two versions in what one service says to another. */
export type WireFinding = Evidence & {
  readonly kind: 'wire';
  /** Whose doing it is. */
  readonly service: string;
  readonly what: string;
  /** `pricing → validation POST /validations`. */
  readonly hop: string;
  readonly part: 'request' | 'response';
  readonly field: string;
  readonly before: string;
  readonly after: string;
  /** A value of either side, to see what is meant. */
  readonly sampleBefore: Json;
  readonly sampleAfter: Json;
  readonly confidence: number;
};

/** Anything else that the change does otherwise. */
export type DifferenceFinding = Evidence &
  Omit<Difference, 'severity' | 'which'> & { readonly kind: 'difference' };

/** One thing that is wrong with a change. */
export type Finding = CheckFinding | WireFinding | DifferenceFinding;
