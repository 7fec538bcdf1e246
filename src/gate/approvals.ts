import { type Actor, type Fault, fault, type Instant, sha256 } from '../kernel/index.ts';
import type { Entry, Ledger, Projection, Rows } from '../ledger/index.ts';
import type { ApprovalAnswerRequest, ApprovalRow } from './api-schema.ts';
import { attemptDraft, refuse } from './attempts.ts';

export const approvalPrefix = 'approval/';

/**
 * An approval is for this actor, tool and exact arguments. One that was requested for a task is
 * valid only for that task and ends with it.
 */
export function approvalId(
  actor: Actor,
  tool: string,
  argumentsHash: string,
  task: string | undefined,
): string {
  return `appr_${sha256(`${actor}\n${tool}\n${argumentsHash}\n${task ?? ''}`).slice(0, 32)}`;
}

export const approvalKey = (approval: string): string => approvalPrefix + approval;

const answered = new Set(['approval-given', 'approval-refused']);

export const approvals: Projection = {
  kinds: ['proposal-held', 'proposal-granted', ...answered],
  keys: ({ body }) => (body.approval ? [approvalKey(String(body.approval))] : []),
  apply: (rows, entry) => {
    if (!entry.body.approval) return;
    const key = approvalKey(String(entry.body.approval));
    if (entry.kind === 'proposal-held') rows.set(key, pendingApproval(entry));
    // An approval is used once; the same call needs a new one.
    else if (entry.kind === 'proposal-granted') rows.set(key, undefined);
    else answer(rows, key, entry);
  },
};

function pendingApproval({ body, actor, at, seq }: Entry): ApprovalRow {
  const withinMs = Number(body.withinMs);
  return {
    approval: String(body.approval),
    status: 'waiting',
    proposal: String(body.proposal),
    actor,
    tool: String(body.tool),
    argumentsHash: String(body.argumentsHash),
    role: String(body.role),
    withinMs,
    expiresAt: at + withinMs,
    heldSeq: seq,
    by: null,
    reason: null,
  };
}

function answer(rows: Rows, key: string, { kind, body, actor, at }: Entry): void {
  const row = rows.get<ApprovalRow>(key);
  if (!row) return;
  const status = kind === 'approval-given' ? 'approved' : 'refused';
  const expiresAt = at + row.withinMs;
  rows.set(key, { ...row, status, expiresAt, by: actor, reason: String(body.reason ?? '') });
}

export interface ApprovalAnswer extends ApprovalAnswerRequest {
  readonly approval: string;
  readonly actor: Actor;
  readonly roles: readonly string[];
  /** The agent in whose client the person answered; absent if they used their own token. */
  readonly elicitedAt?: Actor;
}

export async function answerApproval(
  ledger: Ledger,
  kind: 'approval-given' | 'approval-refused',
  given: ApprovalAnswer,
): Promise<ApprovalRow> {
  const key = approvalKey(given.approval);
  return ledger.transact({
    keys: [key],
    decide: (rows, now) => {
      const row = rows.get<ApprovalRow>(key);
      const refused = refusal(row, given, now);
      if (!row || refused) {
        const { approval, actor } = given;
        return refuse(
          attemptDraft(actor, 'approval', refused as Fault, { approval }),
          refused as Fault,
        );
      }
      const { approval, proposal, argumentsHash, role } = row;
      const { elicitedAt } = given;
      const how = elicitedAt === undefined ? {} : { elicitedAt };
      const body = { approval, proposal, argumentsHash, role, reason: given.reason, ...how };
      return { drafts: [{ kind, actor: given.actor, body }], result: () => row };
    },
  });
}

function refusal(row: ApprovalRow | undefined, given: ApprovalAnswer, now: Instant): Fault | null {
  const { approval, roles } = given;
  if (!row) return fault('NOT_FOUND', { what: `approval ${approval} that waits for an answer` });
  const { status, role, by, argumentsHash } = row;
  if (row.actor === given.actor) return fault('APPROVAL_OWN', { approval });
  if (!roles.includes(role) && !roles.includes('admin')) {
    return fault('APPROVAL_ROLE', { approval, role });
  }
  if (argumentsHash !== given.argumentsHash) {
    return fault('APPROVAL_OTHER_ARGUMENTS', { approval, hash: argumentsHash });
  }
  if (status !== 'waiting') return fault('APPROVAL_ANSWERED', { approval, status, by: by ?? '' });
  return now < row.expiresAt ? null : fault('APPROVAL_EXPIRED', { approval });
}
