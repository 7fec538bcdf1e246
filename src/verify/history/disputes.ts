import {
  type Act,
  type Actor,
  type Clock,
  committedValue,
  fault,
  type Instant,
} from '../../kernel/index.ts';
import { type Ledger, type Projection, readRow } from '../../ledger/index.ts';
import type { Dispute } from '../api-schema.ts';
import type { DisputeRequest } from './api-schema.ts';

const disputePrefix = 'dispute/';
const disputeKey = (finding: string): string => disputePrefix + finding;
const dayMs = 24 * 60 * 60 * 1_000;

/** By finding, the latest dispute. */
export const disputedFindings: Projection = {
  kinds: ['finding-disputed'],
  keys: ({ body }) => [disputeKey(String(body.finding))],
  apply: (rows, { body, actor, at }) => {
    const { finding, reason, days } = body as { finding: string; reason: string; days: number };
    const row: Dispute = { finding, owner: actor, reason, until: at + days * dayMs };
    rows.set(disputeKey(finding), days > 0 ? row : undefined);
  },
};

/** The disputes that have not expired. */
export async function activeDisputes(ledger: Ledger, now: Instant): Promise<Dispute[]> {
  const disputes: Dispute[] = [];
  for await (const { value } of ledger.rows<Dispute>(disputePrefix)) {
    if (value.until > now) disputes.push(value);
  }
  return disputes;
}

interface DisputeContext {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/** Records a dispute, with a reason and an expiry. */
export async function disputeFinding(
  actor: Actor,
  { finding, reason, days }: DisputeRequest,
  { act, ledger, clock }: DisputeContext,
): Promise<Dispute> {
  if (!(await isKnownFinding(ledger, finding))) throw fault('FINDING_UNKNOWN', { finding });
  const proposal = { actor, tool: 'finding.dispute', arguments: { finding, reason, days } };
  const outcome = await act(proposal, async () => {
    const body = { finding, reason, days };
    const [entry] = await ledger.append({ kind: 'finding-disputed', actor, body });
    return { finding, owner: actor, reason, until: (entry?.at ?? clock.now()) + days * dayMs };
  });
  return committedValue(outcome);
}

/** A finding of some verdict. */
type KnownFinding = {
  readonly finding: string;
  readonly verdict: string;
  readonly times: number;
};

const seenKey = (finding: string): string => `finding/${finding}`;

function findingsOf(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))] : [];
}

export const knownFindings: Projection = {
  kinds: ['verdict-reached'],
  keys: ({ body }) => findingsOf(body.findings).map(seenKey),
  apply: (rows, { body }) => {
    for (const finding of findingsOf(body.findings)) {
      const times = (rows.get<KnownFinding>(seenKey(finding))?.times ?? 0) + 1;
      rows.set(seenKey(finding), { finding, verdict: String(body.id), times });
    }
  },
};

async function isKnownFinding(ledger: Ledger, finding: string): Promise<boolean> {
  return (await readRow(ledger, seenKey(finding))) !== undefined;
}
