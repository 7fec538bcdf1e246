import type { Ledger, Projection } from '../../ledger/index.ts';

/** A finding that some verdict had. */
export type SeenFinding = {
  readonly finding: string;
  readonly verdict: string;
  readonly times: number;
};

const seenKey = (finding: string): string => `finding/${finding}`;

function findingsOf(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))] : [];
}

export const seenFindings: Projection = {
  kinds: ['verdict-reached'],
  keys: ({ body }) => findingsOf(body.findings).map(seenKey),
  apply: (rows, { body }) => {
    for (const finding of findingsOf(body.findings)) {
      const times = (rows.get<SeenFinding>(seenKey(finding))?.times ?? 0) + 1;
      rows.set(seenKey(finding), { finding, verdict: String(body.id), times });
    }
  },
};

export async function isSeenFinding(ledger: Ledger, finding: string): Promise<boolean> {
  for await (const { key } of ledger.rows(seenKey(finding))) return key === seenKey(finding);
  return false;
}
