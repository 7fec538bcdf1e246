import {
  type Actor,
  type FaultReport,
  fault,
  faultFromReport,
  type Json,
  type Outcome,
} from '../../kernel/index.ts';
import { type Draft, readRow } from '../../ledger/index.ts';
import type { Resolution } from '../api-schema.ts';
import { attemptDraft, refuse } from '../attempts.ts';
import type { GateDeps } from '../gate-deps.ts';
import type { CompiledContract } from '../language/index.ts';
import { gateLimits } from '../limits.ts';
import type { KeptOutcome } from '../outcome-log.ts';
import {
  openPrefix,
  outside,
  type ProposalRow,
  proposalKey,
  unresolvedPrefix,
} from '../proposals.ts';
import { type Ending, outcomeDraft, type SettlementTarget, settlementKeys } from '../settlement.ts';
import { closingDraft, openRecovery, type RecoveryDeps } from './open-recovery.ts';
import { recover } from './recover.ts';

/**
 * Ends everything that this executor left open: with the outcome that it kept, else as unknown,
 * because nobody saw it end. Returns the unknown ones.
 */
export async function recoverInterrupted(deps: GateDeps): Promise<string[]> {
  const { ledger, outcomes, executor } = deps;
  const open = await openProposals(deps, executor);
  const kept = outcomes?.left() ?? new Map<string, KeptOutcome>();
  // One transaction, so that a start after a crash with a thousand open calls stays fast.
  await ledger.append(
    ...open.map((row) => {
      const outcome = kept.get(row.proposal);
      return outcome ? keptDraft(row, outcome) : interrupted(row, deps);
    }),
  );
  outcomes?.removeIfUnused();
  return open.map(({ proposal }) => proposal).filter((proposal) => !kept.has(proposal));
}

function keptDraft(row: ProposalRow, { proposal, subject, value, actual }: KeptOutcome): Draft {
  const settling: SettlementTarget = { ...row, actor: row.actor as Actor, subject };
  return outcomeDraft(settling, { status: 'committed', proposal, value }, { ...nothing, actual });
}

/** Ends grants for outside executors that were not settled in time. */
export async function expireGrants(deps: GateDeps): Promise<string[]> {
  const now = deps.clock.now();
  const expired: string[] = [];
  for (const row of await openProposals(deps, outside, now)) {
    const settling = { ...row, actor: row.actor as Actor, subject: row.proposal };
    await deps.ledger.transact({
      keys: settlementKeys(settling),
      decide: (rows) => {
        const current = rows.get<ProposalRow>(proposalKey(row.proposal));
        const isOpen = current?.outcomeSeq === 0;
        return { drafts: isOpen ? [interrupted(row, deps)] : [], result: () => undefined };
      },
    });
    expired.push(row.proposal);
  }
  return expired;
}

async function openProposals(
  { ledger }: GateDeps,
  executor: string,
  expiredAt = Number.MAX_SAFE_INTEGER,
): Promise<ProposalRow[]> {
  const open: ProposalRow[] = [];
  const prefix = openPrefix(executor);
  for await (const { key, value } of ledger.rows<{ expiresAt: number }>(prefix)) {
    if (value.expiresAt > expiredAt) continue;
    const row = await readRow<ProposalRow>(ledger, proposalKey(key.slice(prefix.length)));
    if (row) open.push(row);
  }
  return open;
}

const nothing: Ending = { actual: 'unsettled', gathered: [], violations: [], recovers: false };

function interrupted(row: ProposalRow, deps: GateDeps): Draft {
  const { proposal, tool } = row;
  const settling: SettlementTarget = { ...row, actor: 'surety:gate', subject: proposal };
  const contract = deps.policies.current?.contracts.get(tool);
  if (contract?.effect === 'read') {
    const reason = 'it was interrupted';
    const outcome = {
      status: 'failed',
      proposal,
      fault: fault('PROPOSAL_FAILED', { proposal, reason }),
    };
    return outcomeDraft(settling, outcome as Outcome, { ...nothing, actual: 'nothing' });
  }
  // Surety's own tools recover their state themselves, so they keep no reservation.
  const isOwn = deps.isNative(tool) && (contract?.recovery.steps ?? []).length === 0;
  const ending: Ending = {
    ...nothing,
    ...(isOwn ? { actual: 'as-reserved' } : { recovers: true }),
  };
  return outcomeDraft(settling, { status: 'unknown', proposal }, ending);
}

/** Continues recoveries that an earlier process began. */
export async function resumeRecoveries(deps: RecoveryDeps, onError: (error: unknown) => void) {
  const waiting: string[] = [];
  const { agenda } = deps;
  const now = deps.clock.now();
  for await (const { key } of deps.ledger.rows(unresolvedPrefix)) {
    const proposal = key.slice(unresolvedPrefix.length);
    if (agenda.isDue(proposal, now)) waiting.push(proposal);
  }
  // The newest first: a compensation should end before the call that it undoes. Several at a time,
  // because one server that does not answer must not delay the recovery of other calls.
  const left = waiting.toReversed();
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await resume(next, deps).catch(onError);
    }
  };
  await Promise.all(Array.from({ length: gateLimits.recoveriesMax }, work));
  return waiting;
}

async function resume(proposal: string, deps: RecoveryDeps): Promise<void> {
  if (!(await isDue(proposal, deps))) return;
  const row = await readRow<ProposalRow>(deps.ledger, proposalKey(proposal));
  if (!row || !isOurs(row, deps)) return;
  await recover(proposal, await endedBefore(row, deps), deps);
}

/** Several daemons may share a ledger. Each recovers what it executed or began to recover. */
function isOurs({ executor, recoveredBy }: ProposalRow, deps: GateDeps): boolean {
  const owner = recoveredBy ?? (executor === outside ? deps.executor : executor);
  return owner === deps.executor;
}

/** The recorded end: a result that broke its contract is still broken after a crash. */
async function endedBefore({ proposal, outcomeSeq, status }: ProposalRow, { ledger }: GateDeps) {
  const { body, at } = await ledger.entry(outcomeSeq);
  const violations = (body.violations ?? []) as readonly string[];
  const report = body.fault as FaultReport | undefined;
  const outcome: Outcome =
    status === 'failed' && report
      ? { status, proposal, fault: faultFromReport(report) }
      : { status: 'unknown', proposal };
  return { outcome, violations, at, isClaimed: body.claimed === true };
}

/** A step whose tool is not registered yet waits for the program that provides it. */
async function isDue(proposal: string, deps: RecoveryDeps): Promise<boolean> {
  const { isAtHand } = deps;
  if (!isAtHand) return true;
  const { contract } = await openRecovery(proposal, deps);
  return contract === null || toolsOf(contract).every(isAtHand);
}

function toolsOf({ tool, recovery }: CompiledContract): string[] {
  return recovery.steps.flatMap((step) => {
    switch (step.kind) {
      case 'reconcile':
        return [step.read];
      case 'retry':
        return [tool];
      case 'hold':
        return [];
      default:
        return [step.tool];
    }
  });
}

export interface ResolutionRequest extends Resolution {
  readonly proposal: string;
  readonly actor: Actor;
}

/** Records a person's decision whether the effect took place. */
export async function resolveProposal(given: ResolutionRequest, deps: GateDeps): Promise<void> {
  const { proposal, as, reason, actor } = given;
  const recovery = await openRecovery(proposal, deps);
  await deps.ledger.transact({
    keys: settlementKeys(recovery.settling),
    decide: (rows) => {
      const row = rows.get<ProposalRow>(proposalKey(proposal));
      if (!row || row.recovery === null) {
        const refused = fault('PROPOSAL_NOT_IN_DOUBT', {
          proposal,
          status: row?.status ?? 'unknown',
        });
        return refuse(attemptDraft(actor, 'resolution', refused, { proposal }), refused);
      }
      return { drafts: [resolution(given, recovery)], result: () => undefined };
    },
  });

  function resolution({ as: ended }: Resolution, { settling }: typeof recovery): Draft {
    const why = fault('PROPOSAL_FAILED', { proposal, reason });
    const more = {
      as: ended,
      reason,
      ...(as === 'failed' ? { code: why.code, fault: why.report() } : {}),
    };
    const actual = as === 'committed' ? 'as-reserved' : 'nothing';
    const draft = closingDraft(recovery, 'proposal-reconciled', { actual }, more);
    const value: Json = { resolvedBy: actor, reason };
    const contents =
      as === 'committed' ? [{ name: 'value', subject: settling.subject, value }] : [];
    return { ...draft, actor, contents };
  }
}
