import {
  type Fault,
  type FaultReport,
  fault,
  faultFromReport,
  type Json,
  type Outcome,
} from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { ProposalRow } from './proposals.ts';

/** The recorded outcome of a proposal that has ended. */
export async function recordedOutcome<Value extends Json>(
  ledger: Ledger,
  { proposal, status, outcomeSeq, recovery }: ProposalRow,
): Promise<Outcome<Value>> {
  // Recovery may still change this outcome.
  if (status === 'unknown' || recovery !== null) return { status: 'unknown', proposal };
  const { body } = await ledger.entry(outcomeSeq);
  if (status !== 'committed') {
    return { status: 'failed', proposal, fault: earlierFault(proposal, body.fault as FaultReport) };
  }
  const violations = (body.violations ?? []) as readonly string[];
  if (violations.length > 0) {
    const refused = fault('RESULT_REFUSED', { proposal, reason: violations.join('; ') });
    return { status: 'failed', proposal, fault: refused };
  }
  return { status, proposal, value: (await readValue(ledger, outcomeSeq)) as Value };
}

/** A retryable failure can succeed only under a new key, because this key has its outcome. */
function earlierFault(proposal: string, report: FaultReport): Fault {
  if (!report.retryable) return faultFromReport(report);
  return fault('PROPOSAL_FAILED', { proposal, reason: report.message });
}

async function readValue(ledger: Ledger, seq: number): Promise<Json> {
  const contents = await ledger.contents(seq);
  const content = contents.find(({ name }) => name === 'value');
  if (content?.value === undefined) throw fault('CONTENT_SHREDDED', { name: 'value', seq });
  return content.value;
}
