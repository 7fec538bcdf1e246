import {
  type Actor,
  canonicalJson,
  type Fault,
  fault,
  type Instant,
  isFault,
  type Json,
  type Outcome,
  type Proposal,
  sha256,
  toFault,
} from '../kernel/index.ts';
import { type Decided, type Draft, type ReadRows, readRow } from '../ledger/index.ts';
import { grantLimits } from '../verify-grant/limits.ts';
import { recoveryDeps } from './act.ts';
import type { ExecutorReport, SignedGrant } from './api-schema.ts';
import type { ExecutionTerms } from './ask.ts';
import { askAndWait } from './ask-and-wait.ts';
import { type AttemptLimit, attemptDraft, recordAttempt, refuse } from './attempts.ts';
import { prepareSecondDecision } from './decide-again.ts';
import type { GateDeps } from './gate-deps.ts';
import { type KeyRing, openGrant, signGrant } from './grants/index.ts';
import { gateLimits } from './limits.ts';
import { executorKey, outside, type ProposalRow, proposalKey, subjectOf } from './proposals.ts';
import { recordedOutcome } from './recorded-outcome.ts';
import { takeLateOutcome } from './recovery/late-outcome.ts';
import { openRecovery } from './recovery/open-recovery.ts';
import { recover } from './recovery/recover.ts';
import { endingOf } from './result.ts';
import { outcomeDraft, type SettlementTarget, settle, settlementKeys } from './settlement.ts';
import { stopOf, stopsKey } from './stops.ts';
import { isTaskLive, type TaskRow, taskKey } from './tasks/index.ts';

export interface OutsideDeps extends GateDeps {
  readonly keys: KeyRing;
  /** Anybody may send a grant, without a token: refused ones must not fill the ledger. */
  readonly attempts: AttemptLimit;
}

/** A grant for an outside executor, or the earlier outcome of the same proposal. */
export type OutsideGrant = SignedGrant | Outcome;

/** A signed grant for one call by an outside executor. */
export async function grantOutside(
  proposal: Proposal,
  audience: string,
  deps: OutsideDeps,
  executing: Pick<ExecutionTerms, 'begins'> = {},
): Promise<OutsideGrant> {
  await checkOutside(proposal, deps);
  deps.agenda.touch(proposal.tool);
  const timeoutMs = deps.policies.current?.contracts.get(proposal.tool)?.timeoutMs;
  const lifeMs = Math.min(timeoutMs ?? gateLimits.grantMs, grantLimits.grantMsMax);
  const { asked, admission } = await askAndWait(proposal, { ...executing, grantMs: lifeMs }, deps);
  if (admission.verdict === 'repeat') return recordedOutcome(deps.ledger, admission.recorded);
  const { actor, tool, task } = proposal;
  const { argumentsHash } = asked.prepared.question;
  const { idempotency } = asked.prepared.assessed;
  const { granted } = admission;
  const { decision } = granted;
  // Executors have clocks of their own. A ledger whose time was once ahead is not theirs.
  const aheadMs = deps.clock.aheadMs();
  const [grantedAt, expiresAt] = [granted.grantedAt - aheadMs, granted.expiresAt - aheadMs];
  const key = idempotency ? executorKey(idempotency) : null;
  const workspace = deps.ledger.workspace;
  const leases = [...decision.leases, ...decision.held];
  const terms = { workspace, audience, actor, tool, argumentsHash, grantedAt, lifeMs, leases };
  const more = { ...(task === undefined ? {} : { task }), ...(key === null ? {} : { key }) };
  const { token } = signGrant({ ...terms, ...more, proposal: asked.id }, deps.keys.signer());
  return { status: 'granted', proposal: asked.id, token, argumentsHash, expiresAt, key };
}

/** Only the runtime reports the outcome of calls that it executes itself. */
async function checkOutside({ actor, tool }: Proposal, deps: OutsideDeps): Promise<void> {
  const { ledger, isNative, policies, runsHere } = deps;
  const isOurs = isNative(tool) || runsHere?.(tool) || policies.current?.contracts.get(tool)?.run;
  if (!isOurs) return;
  throw await recordAttempt(ledger, actor, 'grant', fault('TOOL_RUN_HERE', { tool }), { tool });
}

/**
 * The executor is about to begin: the last moment at which a stop, an ended task or another policy
 * can prevent the call.
 */
export async function redeemGrant(token: string, deps: OutsideDeps): Promise<{ proposal: string }> {
  const row = await grantedRow(token, 'redemption', deps);
  for (let moves = 0; ; moves++) {
    try {
      return await redeem(row, deps);
    } catch (error) {
      if (moves >= movesMax || !isFault(error, 'POLICY_MOVED')) throw error;
      await deps.policies.reload();
    }
  }
}

const movesMax = 5;

async function redeem(row: ProposalRow, deps: OutsideDeps): Promise<{ proposal: string }> {
  const { proposal, tool, actor, executor } = row;
  const again = await prepareSecondDecision(row, settlingOf(row), deps);
  return deps.ledger.transact({
    keys: [...again.keys, stopsKey, ...settlementKeys(settlingOf(row))],
    decide: (rows, now): Decided<{ proposal: string }> => {
      const current = rows.get<ProposalRow>(proposalKey(proposal)) as ProposalRow;
      const settling = settlingOf(current);
      const unusable = notUsable(current, now);
      if (unusable) {
        deps.chargeDenied?.(settling.actor, 1);
        const attempt = attemptDraft(settling.actor, 'redemption', unusable, { proposal });
        return refuse(deps.attempts.admit(attempt), unusable);
      }
      const stop = stopOf(rows, settling.actor, tool);
      const prevented = stop ? stopped(stop) : taskEnded(row, rows, now);
      const second = prevented ? { refused: prevented } : again.decide(rows, now);
      if ('refused' in second) {
        const { refused } = second;
        const attempt = attemptDraft(settling.actor, 'redemption', refused, { proposal });
        // Nobody will begin it, so its reservations are free at once.
        return { ...refuse(attempt, refused), drafts: [attempt, neverBegun(settling, refused)] };
      }
      const body = { proposal, executor, ...second.facts };
      const { contents } = second;
      const draft = { kind: 'proposal-executing', actor: settling.actor, body, contents };
      return { drafts: [draft], result: () => ({ proposal }) };
    },
  });

  function stopped([scope, reason]: [string, string]): Fault {
    const remedy = 'Do not execute it. An operator lifts the stop.';
    return fault('PROPOSAL_DENIED', {
      actor,
      tool,
      reason: `${scope} is stopped (${reason})`,
      remedy,
    });
  }
}

function neverBegun(settling: SettlementTarget, why: Fault): Draft {
  const outcome = { status: 'failed', proposal: settling.proposal, fault: why } as const;
  const ending = { actual: 'nothing', gathered: [], violations: [], recovers: false } as const;
  return outcomeDraft(settling, outcome, ending);
}

/** A grant for a task cannot be redeemed once the task has ended. */
function taskEnded({ task }: ProposalRow, rows: ReadRows, now: Instant): Fault | null {
  const row = task === undefined ? undefined : rows.get<TaskRow>(taskKey(task));
  if (!row || isTaskLive(row, now)) return null;
  const reason = `The task ${task} has ended.`;
  const remedy = 'Do not execute it. Propose it again for an open task if it is still wanted.';
  return fault('GRANT_REFUSED', { refusal: 'TASK_ENDED', reason, remedy });
}

function notUsable({ proposal, status, expiresAt }: ProposalRow, now: Instant): Fault | null {
  if (status === 'granted' && now < expiresAt) return null;
  const refusal = status === 'granted' ? 'GRANT_ENDED' : 'GRANT_USED';
  const reason = status === 'granted' ? 'Its time is over.' : `Proposal ${proposal} is ${status}.`;
  const remedy = 'Do not execute it. Propose it again if it is still wanted.';
  return fault('GRANT_REFUSED', { refusal, reason, remedy });
}

/**
 * Needs the grant, so that only its holder can report the outcome, and only after redeeming it. The
 * first report counts. One that comes after the grant's time still tells what nobody else has seen.
 */
export async function settleOutside(
  token: string,
  report: ExecutorReport,
  deps: OutsideDeps,
): Promise<Outcome> {
  const row = await grantedRow(token, 'settlement', deps);
  const { proposal } = row;
  if (row.status === 'granted' || (row.status === 'unknown' && !row.redeemed)) {
    throw await refuseReport(row, report, notRedeemed(row), deps);
  }
  const { settling, evaluated, contract } = await openRecovery(proposal, deps);
  const outcome = outcomeOf(row, report, contract?.effect === 'read');
  const ending = endingOf(evaluated, outcome, 'executor');
  if (row.outcomeSeq === 0) {
    const settled = await settle(deps.ledger, settling, outcome, ending);
    const isDone = !ending.recovers && ending.violations.length === 0;
    if (settled === outcome) {
      const { violations, isClaimed = false } = ending;
      const ended = { outcome, violations, isClaimed, at: deps.clock.now() };
      return isDone ? outcome : recover(proposal, ended, recoveryDeps(deps));
    }
  }
  const isNews = outcome.status !== 'unknown';
  if (isNews && (await takeLateOutcome(outcome, ending, deps))) {
    const taken = await readRow<ProposalRow>(deps.ledger, proposalKey(proposal));
    return recordedOutcome(deps.ledger, taken as ProposalRow);
  }
  return settledBefore(proposal, report, deps);
}

function notRedeemed({ proposal }: ProposalRow): Fault {
  const reason = `Proposal ${proposal} was never begun.`;
  const remedy = 'Redeem a grant before you execute the call, and do not execute this one.';
  return fault('GRANT_REFUSED', { refusal: 'GRANT_NOT_REDEEMED', reason, remedy });
}

function outcomeOf(
  { proposal, tool }: ProposalRow,
  report: ExecutorReport,
  isRead: boolean,
): Outcome {
  if (report.status === 'committed') return { status: 'committed', proposal, value: report.value };
  // A read has no effect that could be in doubt.
  if (report.status === 'unknown' && !isRead) return { status: 'unknown', proposal };
  const { code, message } =
    report.status === 'failed' ? report : { code: 'NO_ANSWER', message: 'nobody saw it end' };
  const failed = fault('TOOL_FAILED', { tool, reason: message }).with({ code });
  return { status: 'failed', proposal, fault: failed };
}

/** Answers a repeated report with the recorded outcome. One that contradicts it is recorded. */
async function settledBefore(
  proposal: string,
  report: ExecutorReport,
  deps: OutsideDeps,
): Promise<Outcome> {
  const row = (await readRow<ProposalRow>(deps.ledger, proposalKey(proposal))) as ProposalRow;
  const recorded = await recordedOutcome(deps.ledger, row);
  if (report.status === 'unknown' || isSameReport(recorded, report)) return recorded;
  const reason = `Proposal ${proposal} is ${row.status} already.`;
  const remedy = 'Its outcome stands. If it is wrong, an operator resolves it.';
  const refused = fault('GRANT_REFUSED', { refusal: 'GRANT_SETTLED', reason, remedy });
  throw await refuseReport(row, report, refused, deps);
}

function isSameReport(recorded: Outcome, report: ExecutorReport): boolean {
  if (recorded.status !== 'committed' || report.status !== 'committed') {
    return recorded.status === report.status;
  }
  return canonicalJson(recorded.value) === canonicalJson(report.value);
}

/** Keeps what the executor says with the proposal, and tells people that the two differ. */
async function refuseReport(
  { proposal, tool, actor, status, grantSeq }: ProposalRow,
  report: ExecutorReport,
  refused: Fault,
  { ledger, notify, attempts, chargeDenied }: OutsideDeps,
): Promise<Fault> {
  chargeDenied?.(actor as Actor, 1);
  const subject = subjectOf(await ledger.contents(grantSeq), proposal);
  const facts = { proposal, tool, recorded: status, reported: report.status };
  const contents = [{ name: 'report', subject, value: report as Json }];
  const body = { ...facts, executor: outside, code: refused.code };
  const draft = attempts.admit({ kind: 'report-refused', actor: actor as Actor, body, contents });
  if (!draft) return refused;
  await ledger.append(draft);
  notify({ event: 'report-refused', facts });
  return refused;
}

/** The proposal of a grant that we signed. Refuses any other token, and records some of them. */
async function grantedRow(token: string, what: string, deps: OutsideDeps): Promise<ProposalRow> {
  const { ledger, keys } = deps;
  try {
    const { jti, arg } = openGrant(token, ledger.workspace, keys.settlementJwks());
    const row = await readRow<ProposalRow>(ledger, proposalKey(jti));
    if (row?.executor === outside && row.argumentsHash === arg) return row;
    throw fault('NOT_FOUND', { what: `granted proposal ${jti}` });
  } catch (error) {
    const refused = toFault(error);
    const about = { token: sha256(token).slice(0, 16) };
    const attempt = deps.attempts.admit(attemptDraft('surety:gate', what, refused, about));
    if (attempt) await ledger.append(attempt);
    throw refused;
  }
}

function settlingOf(row: ProposalRow): SettlementTarget {
  const actor = row.actor as Proposal['actor'];
  return { ...row, actor, subject: row.proposal };
}
