import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, fault, type Instant } from '../kernel/index.ts';
import { readRow } from '../ledger/index.ts';
import type { ApprovalRow } from './api-schema.ts';
import { approvalKey } from './approvals.ts';
import type { GateDeps } from './gate-deps.ts';
import { isOver, type ProposalRow, proposalKey } from './proposals.ts';

const pollMsMin = 5;
const pollMsMax = 250;

/** Waits for the end of a call in flight. Throws if it takes longer than the caller waits. */
export async function waitForOutcome(
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
export function waitForApproval(held: Fault, deadline: Instant, deps: GateDeps): Promise<boolean> {
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
