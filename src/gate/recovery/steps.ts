import { setTimeout as delay } from 'node:timers/promises';
import {
  type Fault,
  fault,
  isFault,
  type Json,
  type JsonObject,
  type Outcome,
  type Proposal,
} from '../../kernel/index.ts';
import { readRow } from '../../ledger/index.ts';
import { readNow } from '../ask.ts';
import { type AttemptResult, attempt, unsentCodes } from '../attempt.ts';
import type { Values } from '../expression/index.ts';
import type { CompiledArguments, CompiledContract, CompiledStep } from '../language/index.ts';
import {
  executorKey,
  idempotencyKey,
  isLost,
  type KeyRow,
  type ProposalRow,
  proposalKey,
} from '../proposals.ts';
import { recordedOutcome } from '../recorded-outcome.ts';
import { endingOf } from '../result.ts';
import { type Ending, settlementKeys } from '../settlement.ts';
import { isCurrent, type SlotRow, slotKey } from '../slots/index.ts';
import { stopOf, stopsKey } from '../stops.ts';
import { isTaskLive, type TaskRow, taskKey } from '../tasks/index.ts';
import { holdForPerson } from './hold.ts';
import {
  closingDraft,
  type Recovery,
  type RecoveryDeps,
  type RecoveryFacts,
  recoverer,
  recoveryValues,
  writeStep,
} from './open-recovery.ts';

export interface StepContext {
  readonly recovery: Recovery;
  /** The number of the step, from 1. */
  readonly step: number;
  readonly known: RecoveryFacts;
}

/** `waits`: nothing could be found out now, and there is time to try again. */
type After = RecoveryFacts | { readonly outcome: Outcome; readonly waits?: boolean };
type RecoveryStep<Kind> = Extract<CompiledStep, { kind: Kind }>;

export function runStep(step: CompiledStep, at: StepContext, deps: RecoveryDeps): Promise<After> {
  switch (step.kind) {
    case 'reconcile':
      return reconcile(step, at, deps);
    case 'retry':
      return retry(step, at, deps);
    case 'compensate':
      return compensate(step as RecoveryStep<'compensate' | 'fallback'>, at, deps);
    case 'fallback':
      return fallBack(step as RecoveryStep<'compensate' | 'fallback'>, at, deps);
    case 'hold':
      return hold(step, at, deps);
  }
}

/** Reads the state again to find out whether the effect took place. */
async function reconcile(
  step: RecoveryStep<'reconcile'>,
  at: StepContext,
  deps: RecoveryDeps,
): Promise<After> {
  const { known } = at;
  const read = await tryRead(step, at, deps);
  if (read === 'later') {
    // A failure is known, whether or not anybody can be asked about it.
    return (known.found === 'failed' ? undefined : wait(at, deps)) ?? known;
  }
  if (read === 'never') return known;
  return judgeRead(step, read.value, at, deps);
}

async function judgeRead(
  step: RecoveryStep<'reconcile'>,
  read: Json,
  at: StepContext,
  deps: RecoveryDeps,
): Promise<After> {
  const { recovery, known } = at;
  // It took effect with a wrong result, or is being undone: the read only shows what to undo.
  if (known.found === 'committed' || isUndoing(recovery)) return { ...known, read };
  const values = recoveryValues(recovery, deps, read);
  if (holds(step.committed, values)) return settleCommitted(read, at, deps, 'as-reserved');
  if (deps.agenda.isRunning(recovery.row.proposal)) {
    return wait(at, deps) ?? { ...known, read };
  }
  if (!step.failed || !holds(step.failed, values)) return { ...known, read };
  // The runtime itself has seen now that it had no effect.
  return { ended: { ...known.ended, isClaimed: false }, read, found: 'failed' };
}

function isUndoing({ row, contract }: Recovery): boolean {
  return contract?.recovery.steps[(row.recovery ?? 0) - 1]?.kind === 'compensate';
}

/** Undefined once the contract's time for recovery is over. */
function wait({ recovery, known }: StepContext, deps: RecoveryDeps): After | undefined {
  const { row, contract } = recovery;
  const { withinMs = 0 } = contract?.recovery ?? {};
  if (deps.clock.now() >= known.ended.at + withinMs) return undefined;
  return { outcome: { status: 'unknown', proposal: row.proposal }, waits: true };
}

/** A failed read tells nothing; only one that nobody can make here will never tell anything. */
async function tryRead(
  step: RecoveryStep<'reconcile'>,
  at: StepContext,
  deps: RecoveryDeps,
): Promise<{ readonly value: Json } | 'later' | 'never'> {
  try {
    const values = recoveryValues(at.recovery, deps, at.known.read);
    const { leases } = at.recovery.row;
    return { value: await readNow(step.read, inputs(step.with, values), deps, leases) };
  } catch (error) {
    return isFault(error, 'TOOL_NOT_RUNNABLE') ? 'never' : 'later';
  }
}

/** Repeats the call with the same key, if that is harmless or nothing had happened. */
async function retry(
  step: RecoveryStep<'retry'>,
  at: StepContext,
  deps: RecoveryDeps,
): Promise<After> {
  const { contract } = at.recovery;
  let { known } = at;
  for (let time = 0; time < step.times; time++) {
    const { agenda } = deps;
    const { proposal } = at.recovery.row;
    const isHarmless = contract?.effect !== 'mutating' && !agenda.isRunning(proposal);
    const mayRepeat = isHarmless || known.found === 'failed';
    if (!contract || !mayRepeat || known.found === 'committed') return known;
    await delay(Math.min(step.backoffMs * 2 ** time, backoffMsMax));
    if (!(await mayRunAgain(at, deps))) return known;
    const { outcome, running } = await runAgain(at, contract, deps);
    if (running) agenda.whileRunning(proposal, running);
    // Only its outside executor could retry, so nothing new is known.
    if (outcome.status === 'failed' && isFault(outcome.fault, 'TOOL_NOT_RUNNABLE')) return known;
    if (outcome.status === 'committed') return judgeRetried(outcome.value, outcome, at, deps);
    // The failure of the second call says nothing about the first, so it stays unknown.
    const found = known.found === 'unknown' ? 'unknown' : outcome.status;
    known = { ...known, found, ended: { ...known.ended, outcome, violations: [] } };
  }
  return known;
}

const backoffMsMax = 60_000;

/** Checks the result of a retry against the contract like any other result. */
function judgeRetried(
  value: Json,
  outcome: Outcome,
  at: StepContext,
  deps: RecoveryDeps,
): Promise<After> {
  const { actual, gathered, violations } = endingOf(at.recovery.evaluated, outcome);
  if (violations.length > 0) {
    const ended = { ...at.known.ended, outcome, violations };
    return Promise.resolve({ ...at.known, found: 'committed', ended });
  }
  const more = gathered.length > 0 ? { gathered: [...gathered] } : {};
  return settleCommitted(value, at, deps, actual, more);
}

/** Checks that there is no stop, that the task is open, and that the leases are still held. */
function mayRunAgain({ recovery }: StepContext, deps: RecoveryDeps): Promise<boolean> {
  const { settling, row } = recovery;
  return deps.ledger.transact({
    keys: [stopsKey, ...settlementKeys(settling)],
    decide: (rows, now) => {
      const task = row.task === undefined ? undefined : rows.get<TaskRow>(taskKey(row.task));
      const isStopped = stopOf(rows, settling.actor, row.tool) !== null;
      const isEnded = task !== undefined && !isTaskLive(task, now);
      const hasLost = row.leases.some(({ resource, fence }) => {
        return !isCurrent(rows.get<SlotRow>(slotKey(resource)), fence, now);
      });
      return { drafts: [], result: () => !isStopped && !isEnded && !hasLost };
    },
  });
}

function runAgain(
  { recovery }: StepContext,
  contract: CompiledContract,
  deps: RecoveryDeps,
): Promise<AttemptResult<Json>> {
  const { row, evaluated } = recovery;
  const { arguments: given } = evaluated;
  const key = row.idempotency ? executorKey(row.idempotency) : undefined;
  const proposal = row.proposal as `prop_${string}`;
  const grant = { proposal, argumentsHash: row.argumentsHash, grantedAt: 0, leases: [] };
  return attempt<Json>(grant, contract, ({ signal }) =>
    deps.runTool({ contract, arguments: given, key, proposal, leases: row.leases, signal }),
  );
}

async function compensate(
  step: RecoveryStep<'compensate' | 'fallback'>,
  at: StepContext,
  deps: RecoveryDeps,
): Promise<After> {
  const { recovery, known } = at;
  const { proposal } = recovery.row;
  if (deps.agenda.isRunning(proposal)) {
    // Undoing it now would leave what it does later.
    const reason = 'the call still runs';
    return wait(at, deps) ?? { outcome: await holdForPerson(recovery, at.step, reason, deps) };
  }
  const undone = await useOther(step, 'compensate', at, deps);
  if (undone === null) return known;
  if (undone.status !== 'committed') {
    const later = (await isUndecided(step.tool, undone, deps)) ? wait(at, deps) : undefined;
    if (later) return later;
    const reason = `${step.tool} could not undo it: ${formatFailure(undone)}`;
    return { outcome: await holdForPerson(recovery, at.step, reason, deps) };
  }
  const by = undone.proposal;
  const why = fault('PROPOSAL_COMPENSATED', { proposal, tool: step.tool, by });
  const more = { by, code: why.code, fault: why.report() };
  const draft = closingDraft(recovery, 'proposal-compensated', { actual: 'nothing' }, more);
  const outcome: Outcome = { status: 'failed', proposal, fault: why };
  return { outcome: await writeStep(deps.ledger, recovery, at.step, () => draft, outcome) };
}

/**
 * Whether nobody has refused the call: recovery found no effect of it, or it was never sent. The
 * runtime knows the latter only of its own requests; a function may fail after its effect.
 */
function isWorthRepeating(tool: string, { code, details }: Fault, deps: RecoveryDeps): boolean {
  if (code === 'PROPOSAL_FAILED') return true;
  const run = deps.policies.current?.contracts.get(tool)?.run;
  return run?.kind === 'http' && unsentCodes.has(String(details?.code));
}

/**
 * Whether the undoing call may still succeed: it is being recovered, even if a person was asked,
 * was settled by another worker since its answer, or can be repeated.
 */
async function isUndecided(tool: string, undone: Outcome, deps: RecoveryDeps): Promise<boolean> {
  if (undone.status === 'failed') {
    const isInFlight = undone.fault.code === 'PROPOSAL_IN_FLIGHT';
    return isInFlight || isWorthRepeating(tool, undone.fault, deps);
  }
  const row = await readRow<ProposalRow>(deps.ledger, proposalKey(undone.proposal));
  return row !== undefined && !isLost(row);
}

/** Runs the fallback only if the first tool is known to have had no effect. */
async function fallBack(
  step: RecoveryStep<'compensate' | 'fallback'>,
  at: StepContext,
  deps: RecoveryDeps,
): Promise<After> {
  if (at.known.found !== 'failed') return at.known;
  const other = await useOther(step, 'fallback', at, deps);
  if (other?.status !== 'committed') return at.known;
  // The reservation of the first tool pays for the fallback, which has no account of its own.
  return settleCommitted(other.value, at, deps, 'as-reserved', { via: other.proposal });
}

/**
 * Calls another tool under its own contract and grant, with a key so that a crash repeats nothing.
 */
async function useOther(
  step: RecoveryStep<'compensate' | 'fallback'>,
  why: string,
  { recovery, known }: StepContext,
  deps: RecoveryDeps,
): Promise<Outcome | null> {
  const values = recoveryValues(recovery, deps, known.read);
  if (step.when && !holds(step.when, values)) return null;
  const { row, settling } = recovery;
  try {
    const proposal: Proposal = {
      actor: recoverer,
      tool: step.tool,
      arguments: inputs(step.with, values),
      key: await unusedKey(step.tool, `${row.proposal}/${why}`, deps),
      facts: { [why]: row.proposal },
      subject: settling.subject,
    };
    return await deps.propose(proposal);
  } catch (error) {
    // Denied, held or in flight: the call was wanted and did not happen.
    if (!isFault(error)) throw error;
    return { status: 'failed', proposal: row.proposal, fault: error };
  }
}

/** The key of the last call, or a new one if that call had no effect and nobody refused it. */
async function unusedKey(tool: string, key: string, deps: RecoveryDeps): Promise<string> {
  const { ledger } = deps;
  for (let attempt = 1; ; attempt++) {
    const numbered = attempt === 1 ? key : `${key}/${attempt}`;
    const used = await readRow<KeyRow>(ledger, idempotencyKey(recoverer, tool, numbered));
    const row = used && (await readRow<ProposalRow>(ledger, proposalKey(used.proposal)));
    if (row?.status !== 'failed' || row.recovery !== null) return numbered;
    const outcome = await recordedOutcome(ledger, row);
    if (outcome.status !== 'failed' || !isWorthRepeating(tool, outcome.fault, deps)) {
      return numbered;
    }
  }
}

function formatFailure(outcome: Outcome): string {
  return outcome.status === 'failed' ? outcome.fault.message : 'its own outcome is unknown';
}

/** Notifies a person in any case. Only an unknown outcome waits for an answer. */
async function hold(
  step: RecoveryStep<'hold'>,
  at: StepContext,
  deps: RecoveryDeps,
): Promise<After> {
  const { recovery, known } = at;
  if (known.found !== 'unknown') {
    const { proposal, tool } = recovery.row;
    deps.notify({ event: 'recovery-held', facts: { proposal, tool, reason: step.reason } });
    return known;
  }
  return { outcome: await holdForPerson(recovery, at.step, step.reason, deps) };
}

async function settleCommitted(
  value: Json,
  { recovery, step }: StepContext,
  deps: RecoveryDeps,
  actual: Ending['actual'],
  more: JsonObject = {},
): Promise<After> {
  const { row, settling } = recovery;
  const closing = { as: 'committed', ...more };
  const draft = closingDraft(recovery, 'proposal-reconciled', { actual }, closing);
  const contents = [{ name: 'value', subject: settling.subject, value }];
  const outcome: Outcome = { status: 'committed', proposal: row.proposal, value };
  const write = (): typeof draft => ({ ...draft, contents });
  return { outcome: await writeStep(deps.ledger, recovery, step, write, outcome) };
}

function inputs(from: CompiledArguments, values: Values): JsonObject {
  return Object.fromEntries(from.map(([name, expression]) => [name, expression.evaluate(values)]));
}

/** A condition that cannot be evaluated does not hold: recovery never guesses. */
function holds(condition: { evaluate(values: Values): Json }, values: Values): boolean {
  try {
    return condition.evaluate(values) === true;
  } catch {
    return false;
  }
}
