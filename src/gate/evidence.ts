import { canonicalJson, type Instant, type Json, sha256 } from '../kernel/index.ts';
import type { Projection } from '../ledger/index.ts';

/** The newest observation of one kind about one subject. */
export type EvidenceRow = {
  readonly evidence: string;
  readonly at: Instant;
  readonly proposal: string;
};

/**
 * The evidence of a committed call. The chain contains only its hash, because subjects may be
 * people.
 */
export type EvidenceFact = { readonly row: string; readonly evidence: string };

export function evidenceKey(kind: string, subject: string): string {
  return `evidence/${kind}/${sha256(subject).slice(0, 32)}`;
}

/** The id is a hash of the content: the same observation of the same subject has the same id. */
export function evidenceFact(kind: string, subject: string, observed: Json): EvidenceFact {
  const name = sha256(canonicalJson({ kind, subject, observed })).slice(0, 32);
  return { row: evidenceKey(kind, subject), evidence: `ev_${name}` };
}

export const gatheredEvidence: Projection = {
  kinds: ['proposal-committed', 'proposal-reconciled'],
  keys: ({ body }) => facts(body.gathered).map(({ row }) => row),
  apply: (rows, { body, at }) => {
    for (const { row, evidence } of facts(body.gathered)) {
      rows.set(row, { evidence, at, proposal: String(body.proposal) });
    }
  },
};

function facts(gathered: Json | undefined): readonly EvidenceFact[] {
  return (gathered ?? []) as readonly EvidenceFact[];
}
