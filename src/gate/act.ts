import {
  type Act,
  canonicalJson,
  fault,
  type Grant,
  isFault,
  type Json,
  type MakeIdentifier,
  type Outcome,
  type Proposal,
  sha256,
  toFault,
} from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type Admission, admit, inputKeys } from './admission.ts';
import { idempotencyKey, openPrefix, type ProposalRow } from './proposals.ts';
import { recordedOutcome } from './recorded-outcome.ts';
import { abandon, type Granted, settle } from './settlement.ts';

export interface ActDeps {
  readonly ledger: Ledger;
  readonly makeIdentifier: MakeIdentifier;
  /** Survives restarts of the daemon, so that it can find what an earlier process left open. */
  readonly executor: string;
}

/** Grant, execute, settle. The grant is durable before `run`, the outcome before it is told. */
export function createAct(deps: ActDeps): Act {
  return async <Value extends Json>(
    proposal: Proposal,
    run: (grant: Grant) => Promise<Value>,
  ): Promise<Outcome<Value>> => {
    const admission = await decideOn(proposal, deps);
    switch (admission.verdict) {
      case 'deny': {
        const { reason, remedy } = admission;
        throw fault('PROPOSAL_DENIED', {
          actor: proposal.actor,
          tool: proposal.tool,
          reason,
          remedy,
        });
      }
      case 'repeat':
        return recordedOutcome<Value>(deps.ledger, admission.recorded);
      case 'grant':
        return settle(
          deps.ledger,
          granted(proposal, admission.grant.proposal, deps),
          await attempt(admission.grant, run),
        );
    }
  };
}

/** Whatever this executor left open has an unknown outcome: nobody saw how it ended. */
export async function recoverInterrupted({ ledger, executor }: ActDeps): Promise<string[]> {
  const interrupted: ProposalRow[] = [];
  for await (const { value } of ledger.rows<ProposalRow>(openPrefix(executor))) {
    interrupted.push(value);
  }
  const drafts = interrupted.map(({ proposal, idempotency }) => {
    const body = { proposal, executor, ...(idempotency ? { idempotency } : {}) };
    return { kind: 'proposal-unknown', actor: 'surety:gate' as const, body };
  });
  // One transaction: a start after a crash is not held up by each of a thousand.
  await ledger.append(...drafts);
  return interrupted.map(({ proposal }) => proposal);
}

async function decideOn(proposal: Proposal, deps: ActDeps): Promise<Admission> {
  const idempotency = keyOf(proposal);
  const id = deps.makeIdentifier('prop');
  const argumentsHash = sha256(canonicalJson(proposal.arguments));
  const asked = { proposal, id, argumentsHash, executor: deps.executor, idempotency };
  try {
    return await deps.ledger.transact({
      keys: [...inputKeys(proposal.task), ...(idempotency ? [idempotency] : [])],
      decide: (rows, now) => admit(asked, rows, now),
    });
  } catch (error) {
    if (isFault(error, 'LEDGER_IN_DOUBT')) abandon(deps.ledger, granted(proposal, id, deps));
    throw error;
  }
}

function keyOf({ actor, tool, key }: Proposal): string | undefined {
  return key === undefined ? undefined : idempotencyKey(actor, tool, key);
}

async function attempt<Value extends Json>(
  grant: Grant,
  run: (grant: Grant) => Promise<Value>,
): Promise<Outcome<Value>> {
  const { proposal } = grant;
  try {
    return { status: 'committed', proposal, value: await run(grant) };
  } catch (error) {
    // The effect was an entry of our own, and nobody knows yet whether it was written.
    if (isFault(error, 'LEDGER_IN_DOUBT')) return { status: 'unknown', proposal };
    return { status: 'failed', proposal, fault: toFault(error) };
  }
}

function granted(proposal: Proposal, id: string, { executor }: ActDeps): Granted {
  const idempotency = keyOf(proposal);
  const facts = { proposal: id, executor, ...(idempotency ? { idempotency } : {}) };
  return { actor: proposal.actor, subject: proposal.subject ?? id, facts };
}
