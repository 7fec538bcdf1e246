import type { AdmissionRequest, AdmissionResult } from '../admission.ts';
import { loopKey } from '../loops.ts';
import type { SettlementTarget } from '../settlement.ts';

/** The facts that the settlement of a request needs. */
export function settlingOf(asked: AdmissionRequest, admission?: AdmissionResult): SettlementTarget {
  const { proposal, id, prepared, executor } = asked;
  const { actor, tool, task, subject = id } = proposal;
  const granted = admission?.verdict === 'grant' ? admission.granted : undefined;
  const { idempotency, call } = prepared.assessed;
  const loops = granted && call !== undefined ? loopKey(actor) : undefined;
  const trajectory = granted?.trajectory;
  return {
    proposal: id,
    actor,
    tool,
    subject,
    executor,
    charges: granted?.decision.charges ?? [],
    leases: granted?.decision.leases ?? [],
    ...(idempotency ? { idempotency } : {}),
    ...(task === undefined ? {} : { task }),
    ...(granted ? { taskPath: granted.taskPath } : {}),
    ...(trajectory ? { trajectory } : {}),
    ...(loops ? { loops } : {}),
  };
}
