import {
  type Act,
  canonicalJson,
  fault,
  type Grant,
  type Json,
  type JsonObject,
  type MakeIdentifier,
  type Outcome,
  type Proposal,
  sha256,
  toFault,
} from '../kernel/index.ts';
import type { ContentDraft, Ledger } from '../ledger/index.ts';
import { type Admission, admit } from './admission.ts';
import { idempotencyKey, openPrefix, type ProposalRow } from './proposals.ts';
import { recordedOutcome } from './recorded-outcome.ts';

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
        return settle(proposal, admission.grant, await attempt(admission.grant, run), deps);
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

function decideOn(proposal: Proposal, deps: ActDeps): Promise<Admission> {
  const idempotency = keyOf(proposal);
  const asked = {
    proposal,
    id: deps.makeIdentifier('prop'),
    argumentsHash: sha256(canonicalJson(proposal.arguments)),
    executor: deps.executor,
    idempotency,
  };
  return deps.ledger.transact({
    keys: idempotency ? [idempotency] : [],
    decide: (rows, now) => admit(asked, rows, now),
  });
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
    return { status: 'failed', proposal, fault: toFault(error) };
  }
}

async function settle<Value extends Json>(
  proposal: Proposal,
  grant: Grant,
  outcome: Outcome<Value>,
  { ledger, executor }: ActDeps,
): Promise<Outcome<Value>> {
  const idempotency = keyOf(proposal);
  const facts = { proposal: grant.proposal, executor, ...(idempotency ? { idempotency } : {}) };
  const { body, contents } = record(outcome);
  const kind = `proposal-${outcome.status}`;
  await ledger.append({ kind, actor: proposal.actor, body: { ...facts, ...body }, contents });
  return outcome;
}

function record(outcome: Outcome): { body: JsonObject; contents: ContentDraft[] } {
  if (outcome.status === 'failed') return { body: { fault: outcome.fault.report() }, contents: [] };
  if (outcome.status === 'unknown') return { body: {}, contents: [] };
  const { proposal, value } = outcome;
  return { body: {}, contents: [{ name: 'value', subject: proposal, value }] };
}
