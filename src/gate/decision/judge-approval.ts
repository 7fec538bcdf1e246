import { type Instant, tryOr } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { ApprovalRow, RuleFinding } from '../api-schema.ts';
import { approvalId, approvalKey } from '../approvals.ts';
import type { Values } from '../expression/index.ts';
import { type DriftReaction, describeDrift } from './judge-drift.ts';
import { type DecisionInput, deny, hasEffect } from './question.ts';

/** The approval that a call needs, or the one that it uses up. */
export interface ApprovalNeed {
  readonly approval: string;
  readonly role: string;
  readonly withinMs: number;
  readonly state: 'approved' | 'waiting' | 'new';
  /** The approval that is already pending. */
  readonly waiting: ApprovalRow | null;
}

const supervisedMs = 60 * 60 * 1_000;

/** What the decision knows besides the question. */
interface KnownFacts {
  readonly values: Values;
  readonly drift: DriftReaction | null;
  /** Rules that hold the call until a person approves it. */
  readonly holds: readonly RuleFinding[];
}

export function judgeApproval(
  question: DecisionInput,
  known: KnownFacts,
  rows: ReadRows,
  now: Instant,
): { said: RuleFinding[]; need: ApprovalNeed | null } {
  const { holds, drift } = known;
  const wanted = wantedApproval(question, known) ?? driftApproval(question, drift);
  if (!wanted) return { said: [], need: null };
  const approval = approvalId(question.actor, question.tool, question.argumentsHash, question.task);
  const row = rows.get<ApprovalRow>(approvalKey(approval));
  const current = row && now < row.expiresAt ? row : null;
  if (current?.status === 'refused') {
    const reason = `${current.by} refused it: ${current.reason}`;
    return { said: [deny('approval', reason, 'Propose something else.')], need: null };
  }
  const { role, withinMs } = wanted;
  // The approval must come from the role that the policy requires now.
  if (current?.status === 'approved' && current.role === role) {
    return { said: [], need: { approval, role, withinMs, state: 'approved', waiting: null } };
  }
  const waiting = current?.status === 'waiting' && current.role === role ? current : null;
  const state = waiting ? 'waiting' : 'new';
  const remedy = `A person with the role ${role} runs: surety approve ${approval}. Then propose the same call again.`;
  const because = wanted.because ? `, because ${wanted.because}` : '';
  const reason = `it needs the approval of a person with the role ${role}${because}`;
  const said: RuleFinding = { rule: 'approval', verdict: 'hold', reason, remedy };
  return { said: [...holds, said], need: { approval, role, withinMs, state, waiting } };
}

interface WantedApproval {
  readonly role: string;
  readonly withinMs: number;
  readonly because?: string;
}

/** What drift demands where contract and agent demand nothing. */
function driftApproval(
  question: DecisionInput,
  drift: DriftReaction | null,
): WantedApproval | null {
  if (drift?.response !== 'approval' || !hasEffect(question)) return null;
  return { role: drift.role, withinMs: supervisedMs, because: describeDrift(drift) };
}

function wantedApproval(
  question: DecisionInput,
  { values, holds }: KnownFacts,
): WantedApproval | null {
  const { contract, agent } = question;
  const asked = contract?.approval;
  // A condition that cannot be evaluated requires approval: a broken one must not open the gate.
  if (asked && (asked.when === null || holdsOrBreaks(asked.when, values))) return asked;
  if (holds.length > 0) return asked ?? { role: 'approver', withinMs: supervisedMs };
  const isSupervised = agent?.autonomy === 'supervised' && hasEffect(question);
  return isSupervised ? { role: 'approver', withinMs: supervisedMs } : null;
}

function holdsOrBreaks(when: { evaluate(values: Values): unknown }, values: Values): boolean {
  return tryOr(() => when.evaluate(values) !== false, true);
}
