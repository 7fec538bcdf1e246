import { setTimeout as delay } from 'node:timers/promises';
import {
  type Actor,
  canonicalJson,
  type FaultReport,
  fault,
  type Instant,
  isFault,
  type Json,
  type JsonObject,
  type Outcome,
  toFault,
} from '../kernel/index.ts';
import {
  type ContentDraft,
  type Decided,
  type Draft,
  type Ledger,
  type ReadRows,
  readRow,
} from '../ledger/index.ts';
import type { SettledCharge } from './accounts/index.ts';
import type { EvidenceFact } from './evidence.ts';
import { openPrefix, type ProposalRow, proposalKey, unresolvedPrefix } from './proposals.ts';
import { recordedOutcome } from './recorded-outcome.ts';
import { isCurrent, type SlotRow, slotKey } from './slots/index.ts';
import { taskFact } from './tasks/entry-task.ts';
import { pathKeys } from './tasks/index.ts';

/** Everything about an outcome besides its status. */
export interface Ending {
  /** The real cost of each charge. Absent while the outcome is unknown: the reservation stays. */
  readonly actual: ReadonlyMap<string, number> | 'as-reserved' | 'nothing' | 'unsettled';
  readonly gathered: readonly EvidenceFact[];
  /** Rules about the result that failed. */
  readonly violations: readonly string[];
  /** Whether recovery steps are due. */
  readonly recovers: boolean;
  /** Only the executor says so, and the contract does not trust it: nothing is given back. */
  readonly isClaimed?: boolean;
}

/** The parts of a proposal that name every row of its outcome. */
export type SettlementTarget = Pick<
  ProposalRow,
  | 'proposal'
  | 'tool'
  | 'executor'
  | 'charges'
  | 'leases'
  | 'idempotency'
  | 'task'
  | 'taskPath'
  | 'trajectory'
  | 'loops'
> & { readonly actor: Actor; readonly subject: string };

/**
 * Records an outcome, then returns it, or the one that was recorded before. While the store is away
 * or full, the caller learns that the proposal is in flight, and the outcome is recorded later.
 */
export async function settle<Value extends Json>(
  ledger: Ledger,
  settling: SettlementTarget,
  outcome: Outcome<Value>,
  ending: Ending,
): Promise<Outcome<Value>> {
  const { proposal } = settling;
  try {
    const isRecorded = await ledger.transact(settlement(settling, outcome, ending));
    return isRecorded ? outcome : await earlierOutcome(ledger, proposal, outcome);
  } catch (error) {
    if (isFault(error, 'LEASE_LOST') || isFault(error, 'LEDGER_CLOSED')) throw error;
    // The outcome cannot be stored as it is. An unknown outcome is better than an open call.
    if (!toFault(error).retryable) return recordDoubt(ledger, settling);
    void retrySettlement(ledger, settling, outcome, ending);
    throw fault('PROPOSAL_IN_FLIGHT', { proposal }, error);
  }
}

/** Records an outcome together with the next entry. False if the ledger was closed before. */
export async function settleWithNextEntry(
  ledger: Ledger,
  settling: SettlementTarget,
  outcome: Outcome,
  ending: Ending,
): Promise<boolean> {
  try {
    await ledger.transact({ ...settlement(settling, outcome, ending), mayWait: true });
    return true;
  } catch (error) {
    if (isFault(error, 'LEDGER_CLOSED')) return false;
    if (toFault(error).retryable) return retrySettlement(ledger, settling, outcome, ending);
    return isDoubtRecorded(ledger, settling);
  }
}

/** Another process recorded an outcome first, so that one is returned. */
async function earlierOutcome<Value extends Json>(
  ledger: Ledger,
  proposal: string,
  outcome: Outcome<Value>,
): Promise<Outcome<Value>> {
  const row = await readRow<ProposalRow>(ledger, proposalKey(proposal));
  // A grant in doubt may never have been written.
  return row ? recordedOutcome<Value>(ledger, row) : outcome;
}

async function recordDoubt<Value extends Json>(
  ledger: Ledger,
  settling: SettlementTarget,
): Promise<Outcome<Value>> {
  const unknown = { status: 'unknown', proposal: settling.proposal } as const;
  const ending = { actual: 'unsettled', gathered: [], violations: [], recovers: true } as const;
  await ledger.transact(settlement(settling, unknown, ending));
  return unknown;
}

function isDoubtRecorded(ledger: Ledger, settling: SettlementTarget): Promise<boolean> {
  return recordDoubt(ledger, settling).then(
    () => true,
    () => false,
  );
}

/** Settles a grant that may not have been written; nobody will execute it. */
export function abandon(ledger: Ledger, settling: SettlementTarget): void {
  const { proposal } = settling;
  const reason = 'the store went away while it was being granted';
  const refused = fault('PROPOSAL_FAILED', { proposal, reason });
  const ending = { actual: 'nothing', gathered: [], violations: [], recovers: false } as const;
  void retrySettlement(ledger, settling, { status: 'failed', proposal, fault: refused }, ending);
}

const waitMsMin = 250;
const waitMsMax = 5_000;

/**
 * Retries until the outcome is recorded or the ledger closes. The next start then finds the
 * proposal open. Returns whether it was recorded.
 */
async function retrySettlement(
  ledger: Ledger,
  settling: SettlementTarget,
  outcome: Outcome,
  ending: Ending,
): Promise<boolean> {
  for (let waitMs = waitMsMin; ; waitMs = Math.min(2 * waitMs, waitMsMax)) {
    await delay(waitMs, undefined, { ref: false });
    try {
      await ledger.transact(settlement(settling, outcome, ending));
      return true;
    } catch (error) {
      if (isFault(error, 'LEASE_LOST')) return true;
      if (isFault(error, 'LEDGER_CLOSED')) return false;
      if (toFault(error).retryable) continue;
      return isDoubtRecorded(ledger, settling);
    }
  }
}

/** The rows that a settlement reads or writes. */
export function settlementKeys(settling: SettlementTarget): string[] {
  const { proposal, executor, charges, leases, trajectory, loops, task } = settling;
  return [
    proposalKey(proposal),
    openPrefix(executor) + proposal,
    unresolvedPrefix + proposal,
    ...charges.map(({ account }) => account),
    ...leases.map(({ resource }) => slotKey(resource)),
    ...(trajectory ? [trajectory] : []),
    ...(loops ? [loops] : []),
    ...(task ? pathKeys(settling.taskPath ?? [], task) : []),
  ];
}

export function settlement<Value extends Json>(
  settling: SettlementTarget,
  outcome: Outcome<Value>,
  ending: Ending,
): { keys: string[]; decide(rows: ReadRows, now: Instant): Decided<boolean> } {
  return {
    keys: settlementKeys(settling),
    decide: (rows, now) => {
      const { proposal } = settling;
      const row = rows.get<ProposalRow>(proposalKey(proposal));
      // An outcome is recorded once.
      const isOpen = row?.status === 'granted' || row?.status === 'executing';
      if (!isOpen) return { drafts: [], result: () => false };
      if (outcome.status !== 'unknown' && hasLostLease(settling, rows, now)) {
        return outcomeAfterLease(settling, outcome);
      }
      // The row has its reservations; the caller may never have received the grant.
      const { charges, leases, taskPath = [] } = row;
      const held = { ...settling, charges, leases, taskPath };
      return { drafts: [outcomeDraft(held, outcome, ending)], result: () => true };
    },
  };
}

function hasLostLease({ leases }: SettlementTarget, rows: ReadRows, now: Instant): boolean {
  return leases.some(({ resource, fence }) => {
    return !isCurrent(rows.get<SlotRow>(slotKey(resource)), fence, now);
  });
}

/**
 * A call that was paused past its lease may have overwritten its successor. Its report is stored,
 * but the outcome is unknown until recovery has looked.
 */
function outcomeAfterLease<Value extends Json>(
  settling: SettlementTarget,
  reported: Outcome<Value>,
): Decided<boolean> {
  const [lost] = settling.leases;
  const refused = fault('LEASE_LOST', { resource: lost?.resource ?? '', fence: lost?.fence ?? 0 });
  const body = {
    ...factsOf(settling),
    recovers: true,
    reported: reported.status,
    code: refused.code,
  };
  const draft = { kind: 'proposal-unknown', actor: settling.actor, body };
  const contents = valueContents(settling, reported);
  return {
    drafts: [{ ...draft, contents }],
    result: () => {
      throw refused;
    },
  };
}

export function outcomeDraft(settling: SettlementTarget, outcome: Outcome, ending: Ending): Draft {
  const body: JsonObject = {
    ...factsOf(settling),
    ...settledFacts(settling, ending),
    ...(outcome.status === 'failed' ? failure(outcome.fault.report()) : {}),
    ...(ending.gathered.length > 0 ? { gathered: [...ending.gathered] } : {}),
    ...(ending.violations.length > 0 ? { violations: [...ending.violations] } : {}),
    ...(ending.recovers ? { recovers: true } : {}),
    ...(ending.isClaimed ? { claimed: true } : {}),
  };
  const contents = valueContents(settling, outcome);
  return { kind: `proposal-${outcome.status}`, actor: settling.actor, body, contents };
}

/** The failure, truncated to the size of an entry. */
function failure({ code, message, remedy, retryable, details }: FaultReport): JsonObject {
  const text = (given: string): string => given.toWellFormed().slice(0, reportCharsMax);
  const report = { code, message: text(message), remedy: text(remedy), retryable };
  const isSmall = details !== undefined && isSmallEnough(details);
  return { code, fault: { ...report, ...(isSmall ? { details } : {}) } };
}

const reportCharsMax = 2_000;

function isSmallEnough(details: JsonObject): boolean {
  try {
    return canonicalJson(details).length <= reportCharsMax;
  } catch {
    return false;
  }
}

export function factsOf(settling: SettlementTarget): JsonObject {
  const { proposal, tool, executor, task, taskPath, trajectory, loops } = settling;
  return {
    proposal,
    tool,
    executor,
    ...taskFact(task),
    ...(taskPath && taskPath.length > 0 ? { taskPath: [...taskPath] } : {}),
    ...(trajectory ? { trajectory } : {}),
    ...(loops ? { loops } : {}),
  };
}

/** Replaces the reservations by the real cost and releases the leases. */
export function settledFacts(
  settling: SettlementTarget,
  { actual, isClaimed = false }: Pick<Ending, 'actual' | 'isClaimed'>,
): JsonObject {
  if (actual === 'unsettled') return {};
  const { charges, leases } = settling;
  const settled = charges.map(({ account, budget, amount }): SettledCharge => {
    const reserved = amount;
    const cost = actualOf(actual, budget, reserved);
    return { account, budget, reserved, actual: isClaimed ? Math.max(reserved, cost) : cost };
  });
  // The call happened, so it is paid: the budget may become negative, and the next decision sees
  // it.
  const over = settled
    .filter((one) => one.actual > one.reserved)
    .map(({ account, budget, reserved, actual: cost }) => ({
      account,
      budget,
      by: cost - reserved,
    }));
  return {
    ...(settled.length > 0 ? { settled } : {}),
    ...(over.length > 0 ? { over } : {}),
    ...(leases.length > 0
      ? { released: leases.map(({ resource, fence }) => ({ resource, fence })) }
      : {}),
  };
}

function actualOf(
  actual: Exclude<Ending['actual'], 'unsettled'>,
  budget: string,
  reserved: number,
): number {
  const [dimension = ''] = budget.split('/');
  // A call counts as a call, however it ended.
  if (dimension === 'calls' || actual === 'as-reserved') return reserved;
  if (actual === 'nothing') return 0;
  return actual.get(dimension) ?? reserved;
}

function valueContents({ subject }: SettlementTarget, outcome: Outcome): ContentDraft[] {
  return outcome.status === 'committed' ? [{ name: 'value', subject, value: outcome.value }] : [];
}
