import {
  type Act,
  fault,
  type Grant,
  type Json,
  type Outcome,
  type Proposal,
} from '../kernel/index.ts';
import type { Request } from '../ledger/index.ts';
import { type GrantedFacts, noticesOf } from './admission.ts';
import { askAndWait, type GrantedRequest } from './ask-and-wait.ts';
import { attempt } from './attempt.ts';
import type { DecisionInput } from './decision/index.ts';
import { settlingOf } from './effects/settling.ts';
import type { GateDeps } from './gate-deps.ts';
import { executorKey } from './proposals.ts';
import { recordedOutcome, withRetryRemedy } from './recorded-outcome.ts';
import { takeLateOutcome } from './recovery/late-outcome.ts';
import type { RecoveryDeps } from './recovery/open-recovery.ts';
import { recover } from './recovery/recover.ts';
import { endingOf } from './result.ts';
import { type Ending, type SettlementTarget, settle, settleWithNextEntry } from './settlement.ts';
import type { ActInLedger } from './tasks/index.ts';

export interface ActOptions {
  /** Answers where it can before the ledger has the outcome; see decision 22. */
  readonly answersAtOnce?: boolean;
}

/**
 * Grants, executes and settles. The grant is durable before `run`, the outcome before the answer.
 * With `answersAtOnce`, the outcome only survives the end of this process before the answer.
 */
export function createAct(deps: GateDeps, options: ActOptions = {}): Act {
  return async <Value extends Json>(proposal: Proposal, run: (grant: Grant) => Promise<Value>) => {
    deps.agenda.touch(proposal.tool);
    const decided = await askAndWait(proposal, {}, deps);
    const { admission } = decided;
    if (admission.verdict === 'repeat') {
      const outcome = await recordedOutcome<Value>(deps.ledger, admission.recorded);
      return withRetryRemedy(outcome, decided.asked.prepared.question.contract);
    }
    const { granted } = admission;
    const outcome = await execute(decided, granted, run, { ...deps, ...options });
    return { ...outcome, ...noticesOf(granted.decision.said) };
  };
}

/** Like `createAct`, with the grant, the effect and the outcome in one transaction. */
export function createActInLedger(deps: GateDeps): ActInLedger {
  return async <Value extends Json>(proposal: Proposal, effect: Request<Value>) => {
    deps.agenda.touch(proposal.tool);
    const { asked, admission } = await askAndWait(proposal, { effect }, deps);
    const { question } = asked.prepared;
    if (admission.verdict === 'repeat') {
      const outcome = await recordedOutcome<Value>(deps.ledger, admission.recorded);
      return withRetryRemedy(outcome, question.contract);
    }
    const { granted, done } = admission;
    if (!done) throw new Error(`${asked.id} was granted without its effect`);
    const notices = noticesOf(granted.decision.said);
    // The request that was decided is this one.
    const outcome = done.outcome as Outcome<Value>;
    const { violations, recovers } = done.ending;
    if (!recovers && violations.length === 0) return { ...outcome, ...notices };
    const ended = { outcome, violations, at: deps.clock.now() };
    const recovered = recover<Value>(asked.id, ended, recoveryDeps(deps), question.arguments);
    return { ...(await recovered), ...notices };
  };
}

/** Executes a proposal by the runner in its tool's contract. */
export function createPropose(deps: GateDeps, act: Act): (proposal: Proposal) => Promise<Outcome> {
  return (proposal) =>
    act(proposal, ({ key, leases, proposal: id, signal }) => {
      const contract = deps.policies.current?.contracts.get(proposal.tool);
      // Surety's own tools are operations of the API and have no runner here.
      if (!contract) throw fault('TOOL_NOT_RUNNABLE', { tool: proposal.tool });
      const { arguments: given } = proposal;
      return deps.runTool({ contract, arguments: given, key, proposal: id, leases, signal });
    });
}

export function recoveryDeps(deps: GateDeps): RecoveryDeps {
  return { ...deps, propose: createPropose(deps, createAct(deps)) };
}

async function execute<Value extends Json>(
  { asked, admission }: GrantedRequest,
  granted: GrantedFacts,
  run: (grant: Grant) => Promise<Value>,
  deps: GateDeps & ActOptions,
): Promise<Outcome<Value>> {
  const { question, assessed } = asked.prepared;
  const settling = settlingOf(asked, admission);
  const grant = {
    proposal: asked.id,
    argumentsHash: question.argumentsHash,
    grantedAt: granted.grantedAt,
    leases: [...granted.decision.leases, ...granted.decision.held],
    ...(assessed.idempotency ? { key: executorKey(assessed.idempotency) } : {}),
  };
  const { outcome, running } = await attempt(grant, question.contract, run);
  if (running) followRunning(asked.id, running, question, deps);
  const ending = endingOf(question, outcome);
  if (deps.answersAtOnce && mayAnswerAtOnce(question, settling, outcome, ending, deps)) {
    void settleLater(settling, outcome, ending, deps);
    return outcome;
  }
  const settled = await settle(deps.ledger, settling, outcome, ending);
  const isDone = !ending.recovers && ending.violations.length === 0;
  if (isDone || settled !== outcome) return settled;
  const ended = { outcome: settled, violations: ending.violations, at: deps.clock.now() };
  return recover<Value>(asked.id, ended, recoveryDeps(deps), question.arguments);
}

/** A call that ends after its time limit ends all the same, and the runtime sees how. */
function followRunning<Value extends Json>(
  proposal: string,
  running: Promise<Value>,
  question: DecisionInput,
  deps: GateDeps,
): void {
  deps.agenda.whileRunning(proposal, running);
  const take = async (value: Value): Promise<void> => {
    const outcome: Outcome = { status: 'committed', proposal, value };
    await takeLateOutcome(outcome, endingOf(question, outcome), deps);
  };
  // Recovery goes on if the outcome cannot be taken.
  running.then(take).catch(() => undefined);
}

/** Not if the ledger may still find another outcome, or if something is waiting for this one. */
function mayAnswerAtOnce(
  { contract }: DecisionInput,
  { proposal, subject, charges, leases, idempotency }: SettlementTarget,
  outcome: Outcome,
  { actual, gathered, violations }: Ending,
  { outcomes }: GateDeps,
): boolean {
  if (!contract || outcome.status !== 'committed') return false;
  if ([leases, gathered, violations].some(({ length }) => length > 0)) return false;
  // Nothing depends on the outcome of a mere read.
  if (contract.effect === 'read' && !idempotency && charges.length === 0) return true;
  return outcomes?.keep({ proposal, subject, value: outcome.value, actual }) === true;
}

async function settleLater(
  settling: SettlementTarget,
  outcome: Outcome,
  ending: Ending,
  { ledger, outcomes }: GateDeps,
): Promise<void> {
  const isRecorded = await settleWithNextEntry(ledger, settling, outcome, ending);
  if (isRecorded) outcomes?.release(settling.proposal);
}
