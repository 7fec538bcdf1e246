import {
  fault,
  type Grant,
  type Identifier,
  type Instant,
  type JsonObject,
  type Proposal,
} from '../kernel/index.ts';
import type { Decided, Draft, ReadRows } from '../ledger/index.ts';
import { type DecisionInputs, decide } from './decide.ts';
import { type PolicyRow, policyKey } from './policy.ts';
import type { ProposalRow } from './proposals.ts';
import { type TaskRow, taskKey } from './task.ts';

/** What the gate found when it was a proposal's turn. */
export type Admission =
  | { readonly verdict: 'grant'; readonly grant: Grant }
  | { readonly verdict: 'repeat'; readonly recorded: ProposalRow }
  | { readonly verdict: 'deny'; readonly reason: string; readonly remedy: string };

export interface Asked {
  readonly proposal: Proposal;
  readonly id: Identifier<'prop'>;
  readonly argumentsHash: string;
  readonly executor: string;
  readonly idempotency: string | undefined;
}

/** The rows that a decision looks at. */
export function inputKeys(task: string | undefined): string[] {
  return task === undefined ? [policyKey] : [policyKey, taskKey(task)];
}

export function readInputs(rows: ReadRows, task: string | undefined): DecisionInputs {
  return {
    policy: rows.get<PolicyRow>(policyKey) ?? null,
    task: task === undefined ? null : (rows.get<TaskRow>(taskKey(task)) ?? null),
  };
}

/** Decided while the head is locked: a second proposal with the same key finds the first one. */
export function admit(asked: Asked, rows: ReadRows, now: Instant): Decided<Admission> {
  const recorded = asked.idempotency ? rows.get<ProposalRow>(asked.idempotency) : undefined;
  if (recorded) return repeat(asked, recorded);
  const { actor, tool, task, facts = {} } = asked.proposal;
  const inputs = readInputs(rows, task);
  const decision = decide({ actor, tool, facts }, inputs);
  if (decision.verdict === 'deny') {
    const { rule, reason, remedy } = decision;
    const drafts = [draft('proposal-denied', asked, inputs, { rule, reason, remedy })];
    return { drafts, result: () => decision };
  }
  const { id, argumentsHash, executor, idempotency } = asked;
  const grant: Grant = { proposal: id, argumentsHash, grantedAt: now };
  const more = { executor, ...(idempotency ? { idempotency } : {}) };
  const drafts = [draft('proposal-granted', asked, inputs, more)];
  return { drafts, result: () => ({ verdict: 'grant', grant }) };
}

function repeat({ argumentsHash, proposal }: Asked, recorded: ProposalRow): Decided<Admission> {
  if (recorded.argumentsHash !== argumentsHash) {
    const key = proposal.key as string;
    throw fault('PROPOSAL_KEY_REUSED', { key, proposal: recorded.proposal });
  }
  if (recorded.status === 'granted') {
    throw fault('PROPOSAL_IN_FLIGHT', { proposal: recorded.proposal });
  }
  return { drafts: [], result: () => ({ verdict: 'repeat', recorded }) };
}

/** Every input of the decision stands in the entry that reports it; the policy by its hash. */
function draft(kind: string, asked: Asked, inputs: DecisionInputs, more: JsonObject): Draft {
  const { id, argumentsHash, proposal } = asked;
  const { tool, task, facts = {}, subject = id } = proposal;
  const body = {
    proposal: id,
    tool,
    argumentsHash,
    facts,
    inputs: { policy: inputs.policy?.hash ?? null, task: inputs.task },
    ...(task === undefined ? {} : { about: task }),
    ...more,
  };
  const contents = [{ name: 'arguments', subject, value: proposal.arguments }];
  return { kind, actor: proposal.actor, body, contents };
}
