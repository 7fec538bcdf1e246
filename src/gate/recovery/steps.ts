import { setTimeout as delay } from 'node:timers/promises';
import {
  fault,
  isFault,
  type Json,
  type JsonObject,
  type Outcome,
  type Proposal,
} from '../../kernel/index.ts';
import { readNow } from '../ask.ts';
import { type AttemptResult, attempt } from '../attempt.ts';
import type { Values } from '../expression/index.ts';
import type { CompiledArguments, CompiledContract, CompiledStep } from '../language/index.ts';
import { executorKey } from '../proposals.ts';
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

type After = RecoveryFacts | { readonly outcome: Outcome };
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
  const { recovery, known } = at;
  const read = await tryRead(step, at, deps);
  if (read === undefined) return known;
  // The effect took place with a wrong result; the read only shows what to undo.
  if (known.found === 'committed') return { ...known, read };
  const values = recoveryValues(recovery, deps, read);
  if (holds(step.committed, values)) return settleCommitted(read, at, deps, 'as-reserved');
  const isOver = !known.ended.isRunning;
  const found = isOver && step.failed && holds(step.failed, values) ? 'failed' : known.found;
  return { ...known, read, found };
}

async function tryRead(step: RecoveryStep<'reconcile'>, at: StepContext, deps: RecoveryDeps) {
  try {
    const values = recoveryValues(at.recovery, deps, at.known.read);
    const { leases } = at.recovery.row;
    return await readNow(step.read, inputs(step.with, values), deps, leases);
  } catch {
    // A failed read tells nothing, so the next step continues with the known facts.
    return undefined;
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
    const isHarmless = contract?.effect !== 'mutating' && !known.ended.isRunning;
    const mayRepeat = isHarmless || known.found === 'failed';
    if (!contract || !mayRepeat || known.found === 'committed') return known;
    await delay(Math.min(step.backoffMs * 2 ** time, backoffMsMax));
    if (!(await mayRunAgain(at, deps))) return known;
    const { outcome, isRunning } = await runAgain(at, contract, deps);
    // Only its outside executor could retry, so nothing new is known.
    if (outcome.status === 'failed' && isFault(outcome.fault, 'TOOL_NOT_RUNNABLE')) return known;
    if (outcome.status === 'committed') return judgeRetried(outcome.value, outcome, at, deps);
    // The failure of the second call says nothing about the first, so it stays unknown.
    const found = known.found === 'unknown' ? 'unknown' : outcome.status;
    known = { ...known, found, ended: { outcome, violations: [], isRunning } };
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
    return Promise.resolve({ ...at.known, found: 'committed', ended: { outcome, violations } });
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
  const undone = await useOther(step, 'compensate', at, deps);
  if (undone === null) return known;
  if (undone.status !== 'committed') {
    const reason = `${step.tool} could not undo it: ${formatFailure(undone)}`;
    return { outcome: await holdForPerson(recovery, at.step, reason, deps) };
  }
  const by = undone.proposal;
  const why = fault('PROPOSAL_COMPENSATED', { proposal, tool: step.tool, by });
  const more = { by, code: why.code, fault: why.report() };
  const draft = closingDraft(recovery, 'proposal-compensated', 'nothing', more);
  const outcome: Outcome = { status: 'failed', proposal, fault: why };
  return { outcome: await writeStep(deps.ledger, recovery, at.step, () => draft, outcome) };
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
      key: `${row.proposal}/${why}`,
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
  const draft = closingDraft(recovery, 'proposal-reconciled', actual, { as: 'committed', ...more });
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
