export type { ChangePhase, ChangeTaskRow, TaskRequest, TaskRow } from './api-schema.ts';
export { cancelTask } from './cancel-task.ts';
export { checkLive, checkOwner } from './carve.ts';
export { changeTaskKey, changeTasks } from './change-task.ts';
export {
  type ActInLedger,
  closeWith,
  findTask,
  finishTask,
  moveTask,
  openTask,
  recallTask,
  recordRefusal,
  renewTask,
  splitTask,
  type TaskCommandDeps,
} from './commands.ts';
export { expireTasks } from './expire.ts';
export { handleLostTasks } from './lost-tasks.ts';
export { tasks } from './projection.ts';
export { agentTrajectoryKey, mergeTaint, type Taint, taintFact, taintOf } from './taint.ts';
export { taskFree } from './task-budget.ts';
export {
  childPrefix,
  endedChildPrefix,
  isTaskLive,
  openTaskPrefix,
  pathKeys,
  readOpenTaskKey,
  taskKey,
} from './task-row.ts';
