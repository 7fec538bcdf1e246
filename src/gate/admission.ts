import {
  fault,
  type Grant,
  type Identifier,
  type Instant,
  type Proposal,
} from '../kernel/index.ts';
import type { Decided, Draft, ReadRows } from '../ledger/index.ts';
import { decide } from './decide.ts';
import type { ProposalRow } from './proposals.ts';

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

/** Decided while the head is locked: a second proposal with the same key finds the first one. */
export function admit(asked: Asked, rows: ReadRows, now: Instant): Decided<Admission> {
  const recorded = asked.idempotency ? rows.get<ProposalRow>(asked.idempotency) : undefined;
  if (recorded) return repeat(asked, recorded);
  const decision = decide(asked.proposal);
  if (decision.verdict === 'deny') {
    const { reason, remedy } = decision;
    const drafts = [draft('proposal-denied', asked, { reason, remedy })];
    return { drafts, result: () => decision };
  }
  const { id, argumentsHash, executor, idempotency } = asked;
  const grant: Grant = { proposal: id, argumentsHash, grantedAt: now };
  const facts = { executor, ...(idempotency ? { idempotency } : {}) };
  const drafts = [draft('proposal-granted', asked, facts)];
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

function draft(kind: string, asked: Asked, facts: Draft['body']): Draft {
  const { id, argumentsHash, proposal } = asked;
  const body = { proposal: id, tool: proposal.tool, argumentsHash, ...facts };
  const contents = [{ name: 'arguments', subject: id, value: proposal.arguments }];
  return { kind, actor: proposal.actor, body, contents };
}
