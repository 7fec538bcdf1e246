import {
  canonicalJson,
  type Fault,
  fault,
  type Identifier,
  type Instant,
  type JsonObject,
  type Lease,
  type Outcome,
  type Proposal,
  sha256,
} from '../kernel/index.ts';
import type { ContentDraft, Decided, Draft, ReadRows } from '../ledger/index.ts';
import type { ApprovalRow } from './api-schema.ts';
import {
  type ApprovalNeed,
  behaviourMark,
  type Decision,
  decide,
  decisionKeys,
  modeOf,
  type PreparedQuestion,
} from './decision/index.ts';
import { boundDeniedArguments } from './denied-arguments.ts';
import { areReadsStale, type LockStates } from './lock-states.ts';
import { callsKept } from './loops.ts';
import { type PolicyRow, policyKey } from './policy-book.ts';
import {
  isOver,
  type KeyRow,
  openPrefix,
  type ProposalRow,
  proposalKey,
  unresolvedPrefix,
} from './proposals.ts';
import type { Ending } from './settlement.ts';
import { taskFact } from './tasks/entry-task.ts';
import { type TaskRow, taskKey } from './tasks/index.ts';
import { trajectoryKey } from './trajectory.ts';

/** The gate's answer to a proposal. */
export type AdmissionResult =
  | { readonly verdict: 'grant'; readonly granted: GrantedFacts; readonly done?: RecordedEffect }
  | { readonly verdict: 'repeat'; readonly recorded: ProposalRow }
  | { readonly verdict: 'in-flight'; readonly recorded: ProposalRow }
  | { readonly verdict: 'deny'; readonly refused: Fault }
  | { readonly verdict: 'hold'; readonly refused: Fault; readonly isNew: boolean };

/** The end of a call whose effect was recorded together with its grant. */
export interface RecordedEffect {
  readonly outcome: Outcome;
  readonly ending: Ending;
}

/** The part of a grant that its settlement needs: every row that the outcome will touch. */
export interface GrantedFacts {
  readonly decision: Decision;
  readonly grantedAt: Instant;
  readonly expiresAt: Instant;
  readonly taskPath: readonly string[];
  readonly trajectory: string | undefined;
}

export interface AdmissionRequest {
  readonly proposal: Proposal;
  readonly id: Identifier<'prop'>;
  readonly prepared: PreparedQuestion;
  /** The hash of the policy in force at preparation, whether it is readable or not. */
  readonly policyHash: string | null;
  /** The state of its locks before its reads. */
  readonly lockStates?: LockStates;
  readonly executor: string;
  /** The key of the trajectory that records its step; set by the decision. */
  readonly trajectory?: string | undefined;
  /** The time limit of an outside executor; undefined for one in this process. */
  readonly grantMs: number | undefined;
  /** Whether the grant is redeemed as it is made. */
  readonly begins: boolean;
}

/** The rows that a decision about the request reads or writes. */
export function admissionKeys({ id, prepared, executor }: AdmissionRequest) {
  const { idempotency } = prepared.assessed;
  const keys = [policyKey, ...decisionKeys(prepared)];
  const freshKeys = [proposalKey(id), openPrefix(executor) + id, unresolvedPrefix + id];
  return { keys, freshKeys, unusedKeys: idempotency ? [idempotency] : [] };
}

/**
 * Runs while the head of the ledger is locked, so that a second proposal with the same key finds
 * the first.
 */
export function admit(
  request: AdmissionRequest,
  rows: ReadRows,
  now: Instant,
): Decided<AdmissionResult> {
  const { prepared, id, proposal } = request;
  checkPolicy(request, rows);
  const asked = { ...request, trajectory: trajectoryKey(rows, proposal.actor, proposal.task) };
  const recorded = recordedUnderKey(prepared, rows, now);
  const isOwn = recorded?.actor === prepared.question.actor;
  if (recorded && isOwn) return repeat(asked, recorded);
  if (asked.lockStates && areReadsStale(asked.lockStates, rows, now))
    throw fault('READS_MOVED', {});
  const decision = decide(prepared, rows, now, id);
  // An outcome is revealed only to callers who could have made the call themselves.
  if (recorded && decision.verdict !== 'deny') return repeat(asked, recorded);
  switch (decision.verdict) {
    case 'allow':
      return grant(asked, decision, rows, now);
    case 'hold':
      return hold(asked, decision);
    case 'deny':
      return deny(asked, decision);
  }
}

/** A request that was prepared under one policy is not decided under another. */
function checkPolicy({ policyHash }: AdmissionRequest, rows: ReadRows): void {
  const inForce = rows.get<PolicyRow>(policyKey)?.hash ?? null;
  if (inForce !== policyHash) throw fault('POLICY_MOVED', {});
}

/** Reveals no outcome through a key of a tool that the caller may not use. */
function recordedUnderKey(
  prepared: PreparedQuestion,
  rows: ReadRows,
  now: Instant,
): ProposalRow | null {
  const { question, assessed } = prepared;
  const { actor, agent, tool } = question;
  if (assessed.idempotency === undefined) return null;
  if (actor.startsWith('agent:') && !agent?.allows(tool)) return null;
  const keyed = rows.get<KeyRow>(assessed.idempotency);
  if (!keyed) return null;
  // Loaded only for a key that was used before, which is rare.
  const row = rows.get<ProposalRow>(proposalKey(keyed.proposal));
  if (!row) return null;
  const isForgotten = keyed.until !== undefined && now >= keyed.until;
  const isEnded = row.outcomeSeq > 0 && row.recovery === null;
  return isForgotten && isEnded ? null : row;
}

function repeat(asked: AdmissionRequest, recorded: ProposalRow): Decided<AdmissionResult> {
  if (recorded.argumentsHash !== asked.prepared.question.argumentsHash) {
    const key = asked.proposal.key ?? 'made by the contract';
    const refused = fault('PROPOSAL_KEY_REUSED', { key, proposal: recorded.proposal });
    const facts = { code: refused.code, like: recorded.proposal };
    const drafts = [draft('proposal-denied', asked, { ...facts, rules: ['key'] })];
    return { drafts, result: () => ({ verdict: 'deny', refused }) };
  }
  const verdict = isOver(recorded) ? 'repeat' : 'in-flight';
  return { drafts: [], result: () => ({ verdict, recorded }) };
}

function deny(asked: AdmissionRequest, decision: Decision): Decided<AdmissionResult> {
  const refused = denial(asked, decision);
  const [first] = decision.said.filter(({ verdict }) => verdict === 'deny');
  const why = { code: refused.code, rule: first?.rule ?? '', repeats: decision.repeats };
  const body = { ...why, ...spoken(decision) };
  const drafts = [draft('proposal-denied', asked, body, findingContents(asked, decision))];
  return { drafts, result: () => ({ verdict: 'deny', refused }) };
}

const finalAfterRepeats = 2;

/** The message for people, and fields for a model: what to change, what is missing, until when. */
function denial({ proposal, id, prepared }: AdmissionRequest, { said, repeats }: Decision): Fault {
  const { actor, tool } = proposal;
  const denials = said.filter(({ verdict }) => verdict === 'deny');
  const isFinal = repeats >= finalAfterRepeats;
  const again = `You have proposed exactly this ${repeats + 1} times; the answer will not change.`;
  const remedies = denials.map(({ remedy }) => remedy).join(' ');
  const reason = denials.map(({ reason: why }) => why.replace(/\.$/, '')).join('; and ');
  const details = {
    proposal: id,
    mode: modeOf(prepared.question),
    rule: denials[0]?.rule ?? '',
    rules: denials as JsonObject[],
    evidenceNeeded: denials.flatMap(({ needs = [] }) => needs) as JsonObject[],
    repeats,
    final: isFinal,
    ...noticesOf(said),
    ...retry(denials),
  };
  const remedy = isFinal ? `${again} Do something else. ${remedies}` : remedies;
  return fault('PROPOSAL_DENIED', { actor, tool, reason, remedy }).with(details);
}

/** What an answer tells the agent besides its outcome. */
export function noticesOf(said: Decision['said']): { readonly notices?: string[] } {
  const notices = said.filter(({ verdict }) => verdict === 'warn').map(({ reason }) => reason);
  return notices.length > 0 ? { notices } : {};
}

/** A time to retry, given only if waiting alone would help. */
function retry(denials: Decision['said']): JsonObject {
  const times = denials.map(({ retryAt }) => retryAt);
  if (!times.every((at) => at !== undefined)) return {};
  return { retryAt: Math.max(...(times as number[])) };
}

function hold(asked: AdmissionRequest, decision: Decision): Decided<AdmissionResult> {
  const { approval: need } = decision;
  if (!need) throw new Error('a hold without an approval to wait for');
  const { approval, role, withinMs, waiting } = need;
  if (waiting) {
    const refused = held(asked, decision, waiting.proposal, waiting);
    return { drafts: [], result: () => ({ verdict: 'hold', refused, isNew: false }) };
  }
  const refused = held(asked, decision, asked.id, null);
  const why = { code: refused.code, rule: 'approval' };
  const body = { approval, role, withinMs, ...why, ...spoken(decision) };
  const drafts = [draft('proposal-held', asked, body, findingContents(asked, decision))];
  return { drafts, result: () => ({ verdict: 'hold', refused, isNew: true }) };
}

function held(
  { proposal, prepared }: AdmissionRequest,
  { approval: need, said }: Decision,
  id: string,
  waiting: ApprovalRow | null,
): Fault {
  const { approval, role } = need as ApprovalNeed;
  const { argumentsHash } = prepared.question;
  const values = { actor: proposal.actor, tool: proposal.tool, role, approval };
  const expiry = waiting ? { expiresAt: waiting.expiresAt } : {};
  const mode = modeOf(prepared.question);
  const rules = said.filter(({ verdict, rule }) => verdict === 'hold' && rule !== 'approval');
  const reasons = rules.length > 0 ? { rules: rules as JsonObject[] } : {};
  const details = { proposal: id, mode, approval, argumentsHash, role, ...reasons, ...expiry };
  return fault('PROPOSAL_HELD', values).with(details);
}

function grant(
  asked: AdmissionRequest,
  decision: Decision,
  rows: ReadRows,
  now: Instant,
): Decided<AdmissionResult> {
  const { prepared, executor, grantMs, proposal } = asked;
  const { charges, leases, evidence, approval, wouldBe } = decision;
  const { contract, agent } = prepared.question;
  const { idempotency, call } = prepared.assessed;
  const taskPath = pathOf(proposal.task, rows);
  const expiresAt = grantMs === undefined ? 0 : now + grantMs;
  const body: JsonObject = {
    executor,
    ...(charges.length > 0 ? { charges: [...charges] } : {}),
    ...(leases.length > 0 ? { leases: leases as readonly (Lease & JsonObject)[] } : {}),
    ...(evidence.length > 0 ? { evidence: [...evidence] } : {}),
    ...(taskPath.length > 0 ? { taskPath: [...taskPath] } : {}),
    ...(approval?.state === 'approved' ? { approval: approval.approval, role: approval.role } : {}),
    ...(call === undefined ? {} : { call }),
    ...(call !== undefined && agent ? { callsKept: callsKept(agent) } : {}),
    ...(idempotency ? { idempotency } : {}),
    ...(idempotency && contract?.keyForMs ? { keyUntil: now + contract.keyForMs } : {}),
    ...(expiresAt > 0 ? { expiresAt } : {}),
    ...(wouldBe ? { wouldBe } : {}),
    ...spoken(decision),
  };
  const drafts = [draft('proposal-granted', asked, body, findingContents(asked, decision))];
  if (asked.begins) drafts.push(beginning(asked));
  const { trajectory } = asked;
  const granted = { decision, grantedAt: now, expiresAt, taskPath, trajectory };
  return { drafts, result: () => ({ verdict: 'grant', granted }) };
}

/** Nothing can come between the decision and this: a second look would find the same. */
function beginning({ id, proposal, policyHash, executor }: AdmissionRequest): Draft {
  const body = { proposal: id, executor, policy: policyHash };
  return { kind: 'proposal-executing', actor: proposal.actor, body };
}

function pathOf(task: string | undefined, rows: ReadRows): readonly string[] {
  return task === undefined ? [] : (rows.get<TaskRow>(taskKey(task))?.path ?? []);
}

function spoken({ said, drift }: Decision): JsonObject {
  return {
    ...(said.length > 0 ? { rules: said.map(({ rule }) => rule) } : {}),
    ...(drift ? { drift } : {}),
  };
}

/** Findings may quote arguments, so they are stored in contents that can be destroyed with them. */
function findingContents({ proposal, id }: AdmissionRequest, { said }: Decision): ContentDraft[] {
  if (said.length === 0) return [];
  return [{ name: 'said', subject: proposal.subject ?? id, value: said }];
}

/** Only agents drift. */
function behaviourFact({ proposal, prepared }: AdmissionRequest): JsonObject {
  if (!proposal.actor.startsWith('agent:')) return {};
  return { behaviour: behaviourMark(proposal.arguments, prepared.assessed.resources) };
}

/** The entry contains every input of the decision, or its hash. */
function draft(
  kind: string,
  asked: AdmissionRequest,
  more: JsonObject,
  said: readonly ContentDraft[] = [],
): Draft {
  const { id, proposal, prepared } = asked;
  const { question } = prepared;
  const { tool, task, facts, subject = id, reported } = proposal;
  const { trajectory } = asked;
  const hasReads = Object.keys(question.reads).length > 0;
  const body = {
    proposal: id,
    tool,
    argumentsHash: question.argumentsHash,
    policy: question.policy?.hash ?? null,
    ...(facts ? { facts } : {}),
    ...(reported ? { reported } : {}),
    ...taskFact(task),
    ...(trajectory === undefined ? {} : { trajectory }),
    ...(question.readProblem === null ? {} : { readProblem: question.readProblem }),
    ...(hasReads ? { readsHash: sha256(canonicalJson(question.reads as JsonObject)) } : {}),
    ...(question.isNative ? { native: true } : {}),
    ...behaviourFact(asked),
    ...more,
  };
  const isDenied = kind === 'proposal-denied';
  const given = isDenied ? boundDeniedArguments(proposal.arguments) : proposal.arguments;
  const contents = [{ name: 'arguments', subject, value: given }, ...said];
  if (hasReads) {
    contents.push({ name: 'reads', subject, value: question.reads as JsonObject });
  }
  return { kind, actor: proposal.actor, body, contents };
}
