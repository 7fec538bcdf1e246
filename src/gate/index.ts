export { type AccountRow, accountKey, budgetId, free as freeOf } from './accounts/index.ts';
export type { ApprovalRow, StopsRow } from './api-schema.ts';
export { approvalPrefix } from './approvals.ts';
export { recordAttempt } from './attempts.ts';
export { draftPolicy, type ToolOffer } from './draft/index.ts';
export { createGate, type Gate, type GateParts } from './gate.ts';
export { type GrantKey, KeyRing } from './grants/index.ts';
export {
  findJoin,
  type GradeRequest,
  type GradeRow,
  gradeKey,
  gradeTask,
  type JoinPart,
  type JoinRequest,
  type JoinRow,
  judgeJoin,
  openJoin,
  taskJoinPrefix,
  waitForJoin,
  withJoins,
} from './joins/index.ts';
export {
  type BudgetLimit,
  type CompiledContract,
  type CompiledPolicy,
  checkPolicy,
  compilePolicy,
  fillRunner,
  foreignMistakes,
  loadPolicy,
  type PolicyDocument,
  type PolicyRemark,
  type PolicySource,
  parsePolicy,
  policyFiles,
} from './language/index.ts';
export {
  acquireLock,
  checkFence,
  type LockHold,
  type LockRenewal,
  type LockRequest,
  leaveQueue,
  listLocks,
  releaseLock,
  renewLock,
  waitForLock,
} from './locks/index.ts';
export { OutcomeLog } from './outcome-log.ts';
export { PolicyBook } from './policy-book.ts';
export { gateProjections } from './projections.ts';
export { type ProposalRow, proposalKey, unresolvedPrefix } from './proposals.ts';
export { recordedOutcome } from './recorded-outcome.ts';
export {
  type CaseResult,
  readCases,
  runCases,
} from './rehearsal/index.ts';
export { type ReplayResult, replayDecisions } from './replay.ts';
export { stopsKey } from './stops.ts';
export {
  type ChangeTaskRow,
  cancelTask,
  changeTaskKey,
  checkOwner,
  childPrefix,
  closeWith,
  endedChildPrefix,
  findTask,
  finishTask,
  moveTask,
  openTask,
  openTaskPrefix,
  readOpenTaskKey,
  renewTask,
  splitTask,
  type TaskCommandDeps,
  type TaskRequest,
  type TaskRow,
  taskFree,
} from './tasks/index.ts';
export type { Notice, Notify, RunTool, ToolCall } from './tool-call.ts';
