import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, fault, type Instant } from '../kernel/index.ts';
import type { ApprovalRow } from './api-schema.ts';
import { approvalKey } from './approvals.ts';
import type { GateDeps } from './gate-deps.ts';
import { isOver, type ProposalRow, proposalKey } from './proposals.ts';
import { readRow } from './rows.ts';

const lookMsMin = 5;
const lookMsMax = 250;

/** Until the one that is in flight has ended; a fault if it takes longer than the caller waits. */
export async function waitForOutcome(
  { proposal }: ProposalRow,
  deadline: Instant,
  deps: GateDeps,
): Promise<void> {
  const ended = await lookUntil(deadline, deps, async () => {
    const row = await readRow<ProposalRow>(deps.ledger, proposalKey(proposal));
    return row === undefined || isOver(row);
  });
  if (!ended) throw fault('PROPOSAL_IN_FLIGHT', { proposal });
}

/** Whether somebody has answered before the caller's time is over. */
export function waitForApproval(held: Fault, deadline: Instant, deps: GateDeps): Promise<boolean> {
  const approval = String(held.details?.approval);
  return lookUntil(deadline, deps, async () => {
    const row = await readRow<ApprovalRow>(deps.ledger, approvalKey(approval));
    // Gone: it was given, and the same call made use of it.
    return row?.status !== 'waiting';
  });
}

async function lookUntil(
  deadline: Instant,
  { clock }: GateDeps,
  isSo: () => Promise<boolean>,
): Promise<boolean> {
  for (let waitMs = lookMsMin; ; waitMs = Math.min(2 * waitMs, lookMsMax)) {
    const leftMs = deadline - clock.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(waitMs, leftMs));
    if (await isSo()) return true;
  }
}
