import type { Act, Actor, Outcome, Proposal } from '../kernel/index.ts';
import { createAct, createPropose, recoveryDeps } from './act.ts';
import type { ApprovalRow, ExecutorReport, StopOrder } from './api-schema.ts';
import { type ApprovalAnswer, answerApproval } from './approvals.ts';
import {
  grantOutside,
  type OutsideDeps,
  type OutsideGrant,
  redeemGrant,
  settleOutside,
} from './outside.ts';
import {
  expireGrants,
  type ResolutionRequest,
  recoverInterrupted,
  resolveProposal,
  resumeRecoveries,
} from './recovery/resume.ts';
import { checkPlan, type JudgedStep, type PlannedStep } from './rehearsal/index.ts';
import { liftStop, setStop } from './stops.ts';
import { expireTasks } from './tasks/index.ts';

export type StopRequest = StopOrder & { readonly actor: Actor };

/** Everything that can be asked of the gate. */
export interface Gate {
  readonly act: Act;
  /** The same, but what was only read is told before it is recorded. */
  readonly actPromptly: Act;
  /** Executes a tool by its contract's `run`. */
  propose(proposal: Proposal): Promise<Outcome>;
  /** A signed grant for an executor outside of this process. */
  grant(proposal: Proposal, audience: string): Promise<OutsideGrant>;
  redeem(token: string): Promise<{ proposal: string }>;
  settle(token: string, report: ExecutorReport): Promise<Outcome>;
  /** Judges steps in order, as if those before had been committed. Nothing is written. */
  checkPlan(steps: readonly PlannedStep[], actor: Actor): Promise<JudgedStep[]>;
  approve(answer: ApprovalAnswer): Promise<ApprovalRow>;
  refuse(answer: ApprovalAnswer): Promise<ApprovalRow>;
  stop(stopping: StopRequest): Promise<void>;
  lift(stopping: StopRequest): Promise<void>;
  resolve(resolution: ResolutionRequest): Promise<void>;
  /** Ends grants and tasks whose time is over, and goes on with what has to be put right. */
  look(onError: (error: unknown) => void): Promise<void>;
  /** At the start: what the process before left open. */
  recoverInterrupted(): Promise<string[]>;
}

export function createGate(deps: OutsideDeps): Gate {
  const act = createAct(deps);
  const recovering = recoveryDeps(deps);
  const { ledger, notify } = deps;
  return {
    act,
    actPromptly: createAct(deps, { tellsReadsAtOnce: true }),
    propose: createPropose(deps, act),
    grant: (proposal, audience) => grantOutside(proposal, audience, deps),
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
    look: async (onError) => {
      await expireGrants(deps);
      await expireTasks({ ...deps, act }, onError);
      await resumeRecoveries(recovering, onError);
    },
    recoverInterrupted: () => recoverInterrupted(deps),
  };
}
