import type { Act, Actor, Fault, Outcome, Proposal } from '../kernel/index.ts';
import { createAct, createActInLedger, createPropose, recoveryDeps } from './act.ts';
import type { ApprovalRow, ExecutorReport, StopOrder } from './api-schema.ts';
import { type ApprovalAnswer, answerApproval } from './approvals.ts';
import type { ExecutionTerms } from './ask.ts';
import { AttemptLimit, attemptDraft } from './attempts.ts';
import { settleDueJoins, withJoins } from './joins/index.ts';
import { passOnLocks } from './locks/index.ts';
import {
  grantOutside,
  type OutsideDeps,
  type OutsideGrant,
  redeemGrant,
  settleOutside,
} from './outside.ts';
import { Agenda } from './recovery/agenda.ts';
import {
  expireGrants,
  type ResolutionRequest,
  recoverInterrupted,
  resolveProposal,
  resumeRecoveries,
} from './recovery/resume.ts';
import { checkPlan, type JudgedStep } from './rehearsal/index.ts';
import { liftStop, setStop } from './stops.ts';
import { type ActInLedger, expireTasks, handleLostTasks } from './tasks/index.ts';

export type StopRequest = StopOrder & { readonly actor: Actor };

/** Everything that the gate can do. */
export interface Gate {
  readonly act: Act;
  /** Like `act`, for effects that are entries of the ledger, in one transaction. */
  readonly actInLedger: ActInLedger;
  /** Like `act`, but answers before the outcome is on disk where that is safe. */
  readonly actPromptly: Act;
  /** Executes a tool by its contract's `run`. */
  propose(proposal: Proposal): Promise<Outcome>;
  /** A signed grant for an executor outside of this process. */
  grant(
    proposal: Proposal,
    audience: string,
    executing?: Pick<ExecutionTerms, 'begins'>,
  ): Promise<OutsideGrant>;
  redeem(token: string): Promise<{ proposal: string }>;
  settle(token: string, report: ExecutorReport): Promise<Outcome>;
  /** Judges the steps in order, each as if the earlier ones were committed. Writes nothing. */
  checkPlan(steps: readonly Omit<Proposal, 'actor'>[], actor: Actor): Promise<JudgedStep[]>;
  approve(answer: ApprovalAnswer): Promise<ApprovalRow>;
  refuse(answer: ApprovalAnswer): Promise<ApprovalRow>;
  stop(stopping: StopRequest): Promise<void>;
  lift(stopping: StopRequest): Promise<void>;
  resolve(resolution: ResolutionRequest): Promise<void>;
  /** Records what somebody may not do, unless this minute has enough of it. */
  recordForbidden(actor: Actor, what: string, refused: Fault): Promise<void>;
  /** Ends expired grants and tasks, continues recoveries, and counts refused attempts. */
  maintain(onError: (error: unknown) => void): Promise<void>;
  /** At the start: ends the calls that the previous process left open, and names those in doubt. */
  recoverInterrupted(): Promise<string[]>;
}

/** Everything but what the gate keeps for itself. */
export type GateParts = Omit<OutsideDeps, 'agenda' | 'attempts'>;

export function createGate(given: GateParts): Gate {
  const attempts = new AttemptLimit(() => given.clock.now());
  const deps = { ...given, agenda: new Agenda(), attempts };
  const act = createAct(deps);
  const actPromptly = createAct(deps, { answersAtOnce: true });
  const recovering = recoveryDeps(deps);
  const { ledger, notify } = deps;
  const actInLedger = createActInLedger(deps);
  const tasks = withJoins({ ...deps, act, actInLedger });
  let isFirstLook = true;
  return {
    act,
    actInLedger,
    actPromptly,
    propose: createPropose(deps, actPromptly),
    grant: (proposal, audience, executing) => grantOutside(proposal, audience, deps, executing),
    redeem: (token) => redeemGrant(token, deps),
    settle: (token, report) => settleOutside(token, report, deps),
    checkPlan: (steps, actor) => checkPlan(steps, actor, deps),
    approve: (answer) => answerApproval(ledger, 'approval-given', answer),
    refuse: (answer) => answerApproval(ledger, 'approval-refused', answer),
    stop: async (stopping) => {
      await setStop(ledger, stopping);
      notify({ event: 'stop-set', facts: { ...stopping } });
    },
    lift: (stopping) => liftStop(ledger, stopping),
    resolve: (resolution) => resolveProposal(resolution, deps),
    recordForbidden: async (actor, what, refused) => {
      const attempt = attempts.admit(attemptDraft(actor, what, refused));
      if (attempt) await ledger.append(attempt);
    },
    maintain: async (onError) => {
      const leftOut = attempts.takeLeftOut();
      if (leftOut.length > 0) await ledger.append(...leftOut);
      await expireGrants(deps);
      await expireTasks(tasks, onError);
      await handleLostTasks(tasks, onError);
      await passOnLocks(ledger, onError);
      await settleDueJoins(tasks, isFirstLook, onError);
      isFirstLook = false;
      await resumeRecoveries(recovering, onError);
    },
    recoverInterrupted: () => recoverInterrupted(deps),
  };
}
