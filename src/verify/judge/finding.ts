import type { Json } from '../../kernel/index.ts';
import type { Difference } from '../compare/index.ts';
import type { ChangedLines } from './suspect-lines.ts';

/** What comes with every finding, so that its reader can act on it. */
export type FindingEvidence = {
  /** The same thing has the same id, whichever change does it. */
  readonly id: string;
  /** A request that shows it; null where no request has an id. */
  readonly requestId: string | null;
  readonly traceId: string | null;
  /** The command that shows its trace; null where telemetry is off. */
  readonly trace: string | null;
  /** What the services logged about that request. */
  readonly logs: readonly string[];
  /** The changed lines that most likely cause it, the likeliest first. */
  readonly lines: readonly ChangedLines[];
  /** The command that reproduces it. */
  readonly reproduction: string;
};

export type CheckFinding = FindingEvidence & {
  readonly kind: 'check';
  /** The first changed service on the path of the request; null if there is none. */
  readonly service: string | null;
  readonly suite: string;
  readonly check: string;
  readonly expected: Json;
  readonly actual: Json;
  /** The services that the request went through, and which instance served it. */
  readonly path: readonly string[];
};

/** A field that changed in what one service sends to another. */
export type WireFinding = FindingEvidence & {
  readonly kind: 'wire';
  /** The service that causes it. */
  readonly service: string;
  readonly what: string;
  /** `pricing → validation POST /validations`. */
  readonly hop: string;
  readonly part: 'request' | 'response';
  readonly field: string;
  readonly before: string;
  readonly after: string;
  /** An example of each side. */
  readonly sampleBefore: Json;
  readonly sampleAfter: Json;
  readonly confidence: number;
};

/** Any other difference. */
export type DifferenceFinding = FindingEvidence &
  Omit<Difference, 'severity' | 'which' | 'disputed'> & { readonly kind: 'difference' };

/** One problem with a change. */
export type Finding = CheckFinding | WireFinding | DifferenceFinding;
