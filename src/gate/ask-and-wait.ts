import type { Proposal } from '../kernel/index.ts';
import type { AdmissionResult } from './admission.ts';
import { type AdmittedRequest, ask, type ExecutionTerms } from './ask.ts';
import type { GateDeps } from './gate-deps.ts';
import { waitForApproval, waitForOutcome } from './waiting.ts';

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
