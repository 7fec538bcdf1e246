import {
  type Fault,
  type FaultReport,
  fault,
  faultFromReport,
  formatDuration,
  type Json,
  type Outcome,
} from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { CompiledContract } from './language/index.ts';
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

/**
 * Says what a retry needs. A key made of the arguments keeps a definite failure, so that repeating
 * the same call alone never helps.
 */
export function withRetryRemedy<Value extends Json>(
  outcome: Outcome<Value>,
  contract: Pick<CompiledContract, 'key' | 'keyForMs'> | null,
): Outcome<Value> {
  if (outcome.status !== 'failed') return outcome;
  const report = outcome.fault.report();
  const remedy = `${report.remedy} ${retryNeeds(outcome.proposal, contract)}`;
  return { ...outcome, fault: faultFromReport({ ...report, remedy }) };
}

function retryNeeds(
  proposal: string,
  contract: Pick<CompiledContract, 'key' | 'keyForMs'> | null,
): string {
  const recorded = `This is the recorded outcome of ${proposal}; nothing was executed again.`;
  if (!contract?.key) return `${recorded} To try again, use another key.`;
  const { key, keyForMs } = contract;
  const later = keyForMs === null ? '' : `, or wait: keys are kept for ${formatDuration(keyForMs)}`;
  return `${recorded} To try again, change arguments so that the key differs (${key.text})${later}.`;
}

async function readValue(ledger: Ledger, seq: number): Promise<Json> {
  const contents = await ledger.contents(seq);
  const content = contents.find(({ name }) => name === 'value');
  if (content?.value === undefined) throw fault('CONTENT_SHREDDED', { name: 'value', seq });
  return content.value;
}
