import type { Instant } from '../kernel/index.ts';
import type { InstrumentSummary } from './api-schema.ts';
import type {
  InstrumentPlan,
  Place,
  PredictedCost,
  ProcessFacts,
  ReadOnlyProof,
  Residue,
} from './port.ts';

export type EndReason =
  | 'removed'
  | 'hits'
  | 'expired'
  /** Hits took longer than a hit may. */
  | 'breaker'
  | 'process-ended'
  /** Its file was loaded, and has no such place. */
  | 'refused'
  /** The agent left, or somebody ended its connection. */
  | 'connection-lost';

/** What a probe was in one process. A type: it goes into the ledger. */
export type InstanceCertificate = {
  readonly process: ProcessFacts;
  readonly tier: 'production' | 'development';
  readonly place: Place;
  readonly readOnly: ReadOnlyProof;
  readonly predicted: PredictedCost;
  readonly summary: InstrumentSummary | null;
  readonly residue: Residue;
};

/** What was placed where, how it was kept from changing anything, and what is left of it. */
export type Certificate = {
  readonly probe: string;
  readonly kind: InstrumentPlan['kind'];
  readonly expressions: readonly string[];
  readonly condition?: string;
  readonly requestId?: string;
  readonly placedAt: Instant;
  readonly endedAt: Instant;
  readonly instances: readonly InstanceCertificate[];
};

/** How a probe ended. A type: it goes into the ledger. */
export type Removal = {
  readonly reason: EndReason;
  readonly hits: number;
  /** Why something could not be read, the first time that it could not. */
  readonly error?: string;
  readonly certificate: Certificate;
};

export function certify(
  probe: string,
  { kind, expressions, condition, requestId }: InstrumentPlan,
  instances: readonly InstanceCertificate[],
  { placedAt, endedAt }: Pick<Certificate, 'placedAt' | 'endedAt'>,
): Certificate {
  return {
    probe,
    kind,
    expressions: expressions.map(({ text }) => text),
    ...(condition ? { condition: condition.text } : {}),
    ...(requestId ? { requestId: requestId.text } : {}),
    placedAt,
    endedAt,
    instances,
  };
}
