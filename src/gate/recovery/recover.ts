import {
  fault,
  type Instant,
  isFault,
  type Json,
  type JsonObject,
  type Lease,
  type Outcome,
} from '../../kernel/index.ts';
import { type Draft, type ReadRows, readRow } from '../../ledger/index.ts';
import type { CompiledStep } from '../language/index.ts';
import type { ProposalRow } from '../proposals.ts';
import { endingOf } from '../result.ts';
import { factsOf } from '../settlement.ts';
import { type SlotRow, slotKey } from '../slots/index.ts';
import { holdForPerson } from './hold.ts';
import {
  closingDraft,
  openRecovery,
  type ProposalEnd,
  type Recovery,
  type RecoveryDeps,
  type RecoveryFacts,
  recoverer,
  writeStep,
} from './open-recovery.ts';
import { runStep } from './steps.ts';
import { hasSuccessor, locksOf, takeLocksOver, withLocks } from './take-over.ts';

/**
 * Follows the contract's recovery steps. Each is recorded before it runs, so that a crash cannot
 * repeat it too often. Never repeats an effect that may have taken place: it reads first, and if no
 * read can tell, a person decides.
 */
export async function recover<Value extends Json>(
  proposal: string,
  ended: ProposalEnd,
  deps: RecoveryDeps,
  known?: JsonObject,
): Promise<Outcome<Value>> {
  const { agenda } = deps;
  if (!agenda.begin(proposal)) return { status: 'unknown', proposal };
  try {
    const recovery = await openRecovery(proposal, deps, known);
    const { row } = recovery;
    if (row.recovery === null) return refusedResult<Value>(proposal, ended);
    const isHeld = row.found === 'held';
    const { outcome, waits } = isHeld
      ? await lookAtHeld(recovery, ended, deps)
      : await walk(recovery, ended, deps);
    const now = deps.clock.now();
    if (waits) agenda.postpone(proposal, readTools(recovery), now);
    else if (outcome.status === 'unknown') agenda.rest(proposal, readTools(recovery), now);
    else agenda.forget(proposal);
    return outcome as Outcome<Value>;
  } catch (error) {
    if (isFault(error, 'RECOVERY_MOVED') || isFault(error, 'LEASE_HELD')) {
      return { status: 'unknown', proposal };
    }
    throw error;
  } finally {
    agenda.end(proposal);
  }
}

/** The use of one of these tools is a reason to look again. */
function readTools({ row, contract }: Recovery): string[] {
  const steps = contract?.recovery.steps ?? [];
  return [row.tool, ...steps.flatMap((step) => (step.kind === 'reconcile' ? [step.read] : []))];
}

/** How far recovery came; `waits` if it goes on later by itself. */
type Progress = { readonly outcome: Outcome; readonly waits?: boolean };

/** A person was asked. Reads once more and changes nothing unless the read tells the outcome. */
async function lookAtHeld(
  recovery: Recovery,
  ended: ProposalEnd,
  deps: RecoveryDeps,
): Promise<Progress> {
  const { contract, row } = recovery;
  const step = row.recovery ?? 0;
  const begun = contract?.recovery.steps.slice(0, step) ?? [];
  const read = begun.findLast(({ kind }) => kind === 'reconcile');
  const held: Progress = { outcome: { status: 'unknown', proposal: row.proposal } };
  const found = startsAs(recovery, ended);
  if (!read || found === 'committed' || (await isSucceeded(row, deps))) return held;
  const known: RecoveryFacts = { ended, found: 'unknown', read: undefined };
  const after = await runStep(read, { recovery, step, known }, deps);
  if ('outcome' in after) return after.waits ? held : after;
  return after.found === 'failed' ? { outcome: await giveUp(recovery, step, after, deps) } : held;
}

/** Another call held a lock of this one since, so that a read may show its effect. */
async function isSucceeded(row: ProposalRow, { ledger }: RecoveryDeps): Promise<boolean> {
  const keys = locksOf(row).map(({ resource }) => slotKey(resource));
  const slots = await Promise.all(keys.map((key) => readRow<SlotRow>(ledger, key)));
  return hasSuccessor(row, (resource) => slots[keys.indexOf(slotKey(resource))]);
}

async function walk(recovery: Recovery, ended: ProposalEnd, deps: RecoveryDeps): Promise<Progress> {
  const { contract, row } = recovery;
  const { steps, stepsMax } = contract?.recovery ?? { steps: [], stepsMax: 0 };
  const begun = row.recovery ?? 0;
  const last = Math.min(steps.length, stepsMax);
  let known: RecoveryFacts = { ended, found: startsAs(recovery, ended), read: undefined };
  const again = interruptedSteps(steps.slice(0, begun)).map((step) => ({ step, at: begun }));
  const next = steps.slice(begun, last).map((step, index) => ({ step, at: begun + index + 1 }));
  let at = begun;
  let going = recovery;
  for (const todo of [...again, ...next]) {
    if (!isRepeatedRead(going, todo, at, deps)) going = await begin(going, at, todo, known, deps);
    at = todo.at;
    const after = await runStep(todo.step, { recovery: going, step: at, known }, deps);
    if ('outcome' in after) return after;
    known = after;
  }
  return { outcome: await giveUp(going, at, known, deps) };
}

/** This process has recorded the step before, and there is no lock that it has to take again. */
function isRepeatedRead(
  { row }: Recovery,
  todo: Todo,
  at: number,
  { agenda }: RecoveryDeps,
): boolean {
  const isSame = todo.at === at && todo.step.kind === 'reconcile';
  return isSame && agenda.isRepeat(row.proposal) && locksOf(row).length === 0;
}

/**
 * The steps to repeat after a crash: reads, because the state may have changed, and other tools,
 * because their key makes them idempotent. A retry is not repeated.
 */
function interruptedSteps(begun: readonly CompiledStep[]): CompiledStep[] {
  const read = begun.findLast(({ kind }) => kind === 'reconcile');
  const last = begun.at(-1);
  const isOther = last?.kind === 'compensate' || last?.kind === 'fallback';
  return [...(read ? [read] : []), ...(isOther ? [last] : [])];
}

function startsAs(
  { row, contract }: Recovery,
  { outcome, violations }: ProposalEnd,
): RecoveryFacts['found'] {
  if (violations.length > 0 || row.found === 'committed') return 'committed';
  // A retry that nobody saw end may have had the effect that the first call did not have.
  if (contract?.recovery.steps[(row.recovery ?? 0) - 1]?.kind === 'retry') return 'unknown';
  // What was found out last counts, because a retry may have ended otherwise than the first call.
  return (row.found ?? outcome.status) === 'failed' ? 'failed' : 'unknown';
}

interface Todo {
  readonly step: CompiledStep;
  /** The number of the step, from 1. */
  readonly at: number;
}

/** Records the step before it runs, and takes over the locks before a read. */
async function begin(
  recovery: Recovery,
  from: number,
  { step, at }: Todo,
  known: RecoveryFacts,
  deps: RecoveryDeps,
): Promise<Recovery> {
  const { executor: by } = deps;
  const facts = { ...factsOf(recovery.settling), step: at, found: known.found, by };
  let taken: Lease[] = [];
  const draft = (rows: ReadRows, now: Instant): Draft => {
    taken = step.kind === 'reconcile' ? takeLocksOver(recovery, rows, now) : [];
    const released = [...locksOf(recovery.row)];
    const locks = taken.length > 0 ? { leases: taken as (Lease & JsonObject)[], released } : {};
    return { kind: 'recovery-stepped', actor: recoverer, body: { ...facts, ...locks } };
  };
  await writeStep(deps.ledger, recovery, from, draft, undefined);
  return withLocks(recovery, taken);
}

/**
 * A definite failure frees its reservations, a committed effect stands, and an unknown one waits
 * for a person.
 */
async function giveUp(
  recovery: Recovery,
  at: number,
  known: RecoveryFacts,
  deps: RecoveryDeps,
): Promise<Outcome> {
  const { proposal } = recovery.row;
  if (known.found === 'unknown') {
    return holdForPerson(recovery, at, 'no step could tell whether it took effect', deps);
  }
  if (known.found === 'committed') {
    const more = { as: 'committed', violations: [...known.ended.violations] };
    const { actual } = endingOf(recovery.evaluated, known.ended.outcome);
    const draft = closingDraft(recovery, 'proposal-reconciled', { actual }, more);
    const refused = refusedResult(proposal, known.ended);
    return writeStep(deps.ledger, recovery, at, () => draft, refused);
  }
  const { outcome } = known.ended;
  const reason = 'it did not take effect';
  const why =
    outcome.status === 'failed' ? outcome.fault : fault('PROPOSAL_FAILED', { proposal, reason });
  const more = { as: 'failed', code: why.code, fault: why.report() };
  const { isClaimed = false } = known.ended;
  const ending = { actual: 'nothing', isClaimed } as const;
  const draft = closingDraft(recovery, 'proposal-reconciled', ending, more);
  const failed: Outcome = { status: 'failed', proposal, fault: why };
  return writeStep(deps.ledger, recovery, at, () => draft, failed);
}

/** The fault for an effect that took place with a result that breaks its contract. */
function refusedResult<Value extends Json>(
  proposal: string,
  { violations }: ProposalEnd,
): Outcome<Value> {
  const refused = fault('RESULT_REFUSED', { proposal, reason: violations.join('; ') });
  return { status: 'failed', proposal, fault: refused };
}
