import type { Actor, JsonObject, Outcome } from '../../kernel/index.ts';
import type { Draft } from '../../ledger/index.ts';
import type { GateDeps } from '../gate-deps.ts';
import type { CompiledStep } from '../language/index.ts';
import { type ProposalRow, proposalKey } from '../proposals.ts';
import { type Ending, outcomeDraft, settlementKeys } from '../settlement.ts';
import { type SlotRow, slotKey } from '../slots/index.ts';
import { openRecovery } from './open-recovery.ts';
import { hasSuccessor } from './take-over.ts';

/**
 * Takes the end of a call that arrives after its outcome was recorded as unknown. Whoever executed
 * the call knows better than a read, so this ends its recovery. Returns whether it was taken: not
 * if the outcome is known already, nor if a later call held the same lock or the recovery itself
 * acted meanwhile, because then only a read can tell what is there now.
 */
export async function takeLateOutcome(
  outcome: Outcome,
  ending: Ending,
  deps: GateDeps,
  more: JsonObject = {},
): Promise<boolean> {
  const { proposal } = outcome;
  // Nobody has seen yet that it had no effect: the read of the recovery finds out.
  if (outcome.status === 'failed' && ending.recovers) return false;
  const { settling, contract } = await openRecovery(proposal, deps);
  const steps = contract?.recovery.steps ?? [];
  const isTaken = await deps.ledger.transact({
    keys: settlementKeys(settling),
    decide: (rows) => {
      const row = rows.get<ProposalRow>(proposalKey(proposal));
      const isOpen = row?.recovery !== null && row?.status === 'unknown';
      const mayEnd =
        row &&
        isOpen &&
        !hasActed(row, steps) &&
        !hasSuccessor(row, (resource) => rows.get<SlotRow>(slotKey(resource)));
      if (!mayEnd) return { drafts: [], result: () => false };
      const { charges, leases, taskPath = [] } = row;
      const held = { ...settling, charges, leases, taskPath, actor: row.actor as Actor };
      return {
        drafts: [lateDraft(outcomeDraft(held, outcome, ending), outcome, more)],
        result: () => true,
      };
    },
  });
  if (isTaken) deps.agenda.forget(proposal);
  return isTaken;
}

/** Ends the recovery as a read would. A broken rule about the result stays on record. */
function lateDraft(draft: Draft, { status }: Outcome, more: JsonObject): Draft {
  const { recovers: _, ...body } = draft.body;
  return {
    ...draft,
    kind: 'proposal-reconciled',
    body: { ...body, as: status, late: true, ...more },
  };
}

/** Whether recovery has begun to repeat, undo or replace the call. */
function hasActed({ recovery }: ProposalRow, steps: readonly CompiledStep[]): boolean {
  const begun = steps.slice(0, recovery ?? 0);
  return begun.some(({ kind }) => kind !== 'reconcile' && kind !== 'hold');
}
