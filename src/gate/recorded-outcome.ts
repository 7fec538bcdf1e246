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

/** The outcome that the ledger has for a proposal that already ended. */
export async function recordedOutcome<Value extends Json>(
  ledger: Ledger,
  { proposal, status, outcomeSeq }: ProposalRow,
): Promise<Outcome<Value>> {
  if (status === 'unknown') return { status, proposal };
  if (status === 'committed') {
    return { status, proposal, value: (await readValue(ledger, outcomeSeq)) as Value };
  }
  const { body } = await ledger.entry(outcomeSeq);
  return { status: 'failed', proposal, fault: earlierFault(proposal, body.fault as FaultReport) };
}

/** What may succeed when tried again can do so under a new key only: this one has its outcome. */
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
