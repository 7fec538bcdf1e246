import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, fault, type Instant, type Proposal } from '../kernel/index.ts';
import { readRow } from '../ledger/index.ts';
import type { AdmissionResult } from './admission.ts';
import type { ApprovalRow } from './api-schema.ts';
import { approvalKey } from './approvals.ts';
import { type AdmittedRequest, ask, type ExecutionTerms } from './ask.ts';
import type { GateDeps } from './gate-deps.ts';
import { isOver, type ProposalRow, proposalKey } from './proposals.ts';

/** Granted now, or earlier under the same key. */
export interface GrantedRequest {
  readonly asked: AdmittedRequest['asked'];
  readonly admission: Extract<AdmissionResult, { verdict: 'grant' | 'repeat' }>;
}

/** Waits, as long as the caller does, for an approval and for an identical call in flight. */
export async function askAndWait(
  proposal: Proposal,
  executing: ExecutionTerms,
  deps: GateDeps,
): Promise<GrantedRequest> {
  const deadline = deps.clock.now() + (proposal.waitMs ?? 0);
  for (;;) {
    const { asked, admission } = await ask(proposal, executing, deps);
    switch (admission.verdict) {
      case 'deny':
        throw admission.refused;
      case 'hold':
        if (admission.isNew) notifyHeld(proposal, admission, deps);
        if (!(await waitForApproval(admission.refused, deadline, deps))) throw admission.refused;
        break;
      case 'in-flight':
        await waitForOutcome(admission.recorded, deadline, deps);
        break;
      default:
        return { asked, admission };
    }
  }
}

function notifyHeld(
  { actor, tool }: Proposal,
  { refused }: Extract<AdmissionResult, { verdict: 'hold' }>,
  { notify }: GateDeps,
): void {
  notify({ event: 'proposal-held', facts: { actor, tool, ...(refused.details ?? {}) } });
}

const pollMsMin = 5;
const pollMsMax = 250;

/** Waits for the end of a call in flight. Throws if it takes longer than the caller waits. */
async function waitForOutcome(
  { proposal }: ProposalRow,
  deadline: Instant,
  deps: GateDeps,
): Promise<void> {
  const ended = await pollUntil(deadline, deps, async () => {
    const row = await readRow<ProposalRow>(deps.ledger, proposalKey(proposal));
    return row === undefined || isOver(row);
  });
  if (!ended) throw fault('PROPOSAL_IN_FLIGHT', { proposal });
}

/** Whether a person answered before the caller's deadline. */
function waitForApproval(held: Fault, deadline: Instant, deps: GateDeps): Promise<boolean> {
  const approval = String(held.details?.approval);
  return pollUntil(deadline, deps, async () => {
    const row = await readRow<ApprovalRow>(deps.ledger, approvalKey(approval));
    // A missing row means that the approval was given and used by an identical call.
    return row?.status !== 'waiting';
  });
}

async function pollUntil(
  deadline: Instant,
  { clock }: GateDeps,
  isSo: () => Promise<boolean>,
): Promise<boolean> {
  for (let waitMs = pollMsMin; ; waitMs = Math.min(2 * waitMs, pollMsMax)) {
    const leftMs = deadline - clock.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(waitMs, leftMs));
    if (await isSo()) return true;
  }
}
