import {
  type Actor,
  canonicalJson,
  type Fault,
  fault,
  formatBudget,
  type Instant,
  type Json,
  type JsonObject,
  type Proposal,
  sha256,
} from '../kernel/index.ts';
import type { ContentDraft, Entry, ReadRows, Rows } from '../ledger/index.ts';
import { accounts } from './accounts/index.ts';
import type { ApprovalRow } from './api-schema.ts';
import { approvalKey } from './approvals.ts';
import { question } from './ask.ts';
import {
  type Decision,
  decide,
  decisionKeys,
  type PreparedQuestion,
  prepare,
} from './decision/index.ts';
import type { GateDeps } from './gate-deps.ts';
import { gateLimits } from './limits.ts';
import { type LoopRow, withoutCall } from './loops.ts';
import { type PolicyRow, policyKey } from './policy-book.ts';
import { type ProposalRow, subjectOf } from './proposals.ts';
import { factsOf, type SettlementTarget } from './settlement.ts';
import { slots } from './slots/index.ts';
import { tasks } from './tasks/index.ts';
import { agentTrajectoryKey, type TrajectoryRow, withoutStep } from './trajectory.ts';

/** The second look at a grant, when its executor is about to begin. */
export interface SecondDecision {
  readonly keys: readonly string[];
  /** Runs while the head of the ledger is locked. Throws POLICY_MOVED to be prepared again. */
  decide(rows: ReadRows, now: Instant): SecondVerdict;
}

export type SecondVerdict =
  | { readonly refused: Fault }
  /** Facts for the entry that begins the call. */
  | { readonly facts: JsonObject; readonly contents: readonly ContentDraft[] };

/**
 * A grant follows the policy. If another policy is in force than the one that granted it, or if
 * what was read for it is no longer fresh, the call is decided again, as if it were proposed now.
 */
export async function prepareSecondDecision(
  row: ProposalRow,
  settling: SettlementTarget,
  deps: GateDeps,
): Promise<SecondDecision> {
  const granted = await deps.ledger.entry(row.grantSeq);
  const policyHash = deps.policies.hash;
  const prepared = await preparedAgain(row, granted, deps);
  return {
    keys: [policyKey, ...(prepared ? decisionKeys(prepared) : [])],
    decide: (rows, now) => {
      const policy = rows.get<PolicyRow>(policyKey)?.hash ?? null;
      if (policy !== policyHash) throw fault('POLICY_MOVED', {});
      if (prepared === null) return { facts: { policy }, contents: [] };
      if (prepared === undefined) return { refused: outdated('its arguments were not kept') };
      const before = withoutGrant(rows, row, settling, now);
      restoreApproval(before, row, granted, now);
      const reason = objection(decide(prepared, before, now, row.proposal), row);
      if (reason !== null) return { refused: outdated(reason) };
      return secondFacts(prepared, policy);
    },
  };
}

type PreparedAgain = PreparedQuestion & { readonly subject: string };

/** Null if the first decision still holds; undefined if it cannot be repeated. */
async function preparedAgain(
  { proposal: id, tool, actor, argumentsHash, grantSeq }: ProposalRow,
  { body, at }: Entry,
  deps: GateDeps,
): Promise<PreparedAgain | null | undefined> {
  const contract = deps.policies.current?.contracts.get(tool);
  const isSamePolicy = (body.policy ?? null) === deps.policies.hash;
  const hasReads = (contract?.reads.length ?? 0) > 0;
  const isFresh = !hasReads || deps.clock.now() - at < gateLimits.readsFreshMs;
  if (isSamePolicy && isFresh) return null;
  const contents = await deps.ledger.contents(grantSeq);
  const given = contents.find(({ name }) => name === 'arguments')?.value as JsonObject | undefined;
  if (given === undefined || sha256(canonicalJson(given)) !== argumentsHash) return undefined;
  const proposal: Proposal = {
    actor: actor as Actor,
    tool,
    arguments: given,
    facts: (body.facts ?? {}) as JsonObject,
    reported: (body.reported ?? {}) as Record<string, number>,
    ...(body.about === undefined ? {} : { task: String(body.about) }),
  };
  const prepared = prepare(await question(proposal, argumentsHash, deps));
  return { ...prepared, subject: subjectOf(contents, id) };
}

function outdated(reason: string): Fault {
  const remedy = 'Do not execute it. Propose it again if it is still wanted.';
  const told = `It would not be granted now: ${reason}.`;
  return fault('GRANT_REFUSED', { refusal: 'GRANT_OUTDATED', reason: told, remedy });
}

/** Why the call would not be granted now, or not with what it holds; null if it would be. */
function objection({ verdict, said, charges, leases }: Decision, row: ProposalRow): string | null {
  if (verdict !== 'allow') return said.map(({ rule, reason }) => `${rule}: ${reason}`).join('; ');
  const otherLock = leases.some(({ resource }) => {
    return !row.leases.some((held) => held.resource === resource);
  });
  if (otherLock) return 'it would need another lock';
  const more = charges.find(({ account, budget, amount }) => {
    const isHeld = row.charges.some((held) => {
      return held.account === account && held.budget === budget && held.amount >= amount;
    });
    return !isHeld;
  });
  return more ? `it reserved too little of the budget ${formatBudget(more.budget)}` : null;
}

function secondFacts(
  { question: asked, subject }: PreparedAgain,
  policy: string | null,
): SecondVerdict {
  const reads = asked.reads as JsonObject;
  if (Object.keys(reads).length === 0) return { facts: { policy, again: true }, contents: [] };
  const readsHash = sha256(canonicalJson(reads));
  const contents = [{ name: 'reads', subject, value: reads }];
  return { facts: { policy, again: true, readsHash }, contents };
}

/** The rows as if the proposal had not been granted: it must not stand in its own way. */
function withoutGrant(
  base: ReadRows,
  row: ProposalRow,
  settling: SettlementTarget,
  at: Instant,
): Rows {
  const rows = overlayOf(base);
  const { charges, leases, proposal, tool, trajectory, loops } = row;
  const settled = charges.map(({ account, budget, amount }) => {
    return { account, budget, reserved: amount, actual: 0 };
  });
  const body = { ...factsOf(settling), settled, released: [...leases] };
  const nowhere = { workspace: '', seq: 0, digest: '', prev: '', hash: '' };
  const actor = row.actor as Actor;
  const entry: Entry = { ...nowhere, kind: 'proposal-failed', at, actor, body };
  for (const projection of [accounts, slots, tasks]) projection.apply(rows, entry);
  for (const key of new Set([trajectory, agentTrajectoryKey(actor)])) {
    const steps = key === undefined ? undefined : rows.get<TrajectoryRow>(key);
    if (key && steps) rows.set(key, withoutStep(steps, proposal, tool));
  }
  const calls = loops === undefined ? undefined : rows.get<LoopRow>(loops);
  if (loops && calls) rows.set(loops, withoutCall(calls, proposal));
  return rows;
}

/**
 * This grant used up its approval. The approval still counts, but only for the role that gave it.
 * Grants of earlier versions do not name the role.
 */
function restoreApproval(rows: Rows, row: ProposalRow, { body }: Entry, now: Instant): void {
  if (body.approval === undefined || body.role === undefined) return;
  const approval = String(body.approval);
  const key = approvalKey(approval);
  // Somebody may have refused the same call since.
  if (rows.get<ApprovalRow>(key)?.status === 'refused') return;
  const { proposal, actor, tool, argumentsHash, grantSeq: heldSeq } = row;
  const call = { approval, proposal, actor, tool, argumentsHash, heldSeq };
  const answer = { status: 'approved', role: String(body.role), by: null, reason: null } as const;
  rows.set(key, { ...call, ...answer, withinMs: 1, expiresAt: now + 1 } satisfies ApprovalRow);
}

function overlayOf(base: ReadRows): Rows {
  const changed = new Map<string, Json | undefined>();
  return {
    get: <Value extends Json>(key: string) =>
      (changed.has(key) ? changed.get(key) : base.get(key)) as Value | undefined,
    set: (key, value) => void changed.set(key, value),
  };
}
