export type { ChangePhase, ChangeTaskRow, TaskRequest, TaskRow } from './api-schema.ts';
export { cancelTask } from './cancel-task.ts';
export { checkOwner } from './carve.ts';
export { changeTaskKey, changeTasks } from './change-task.ts';
export {
  closeWith,
  findTask,
  finishTask,
  moveTask,
  openTask,
  splitTask,
  type TaskCommandDeps,
} from './commands.ts';
export { expireTasks } from './expire.ts';
export { tasks } from './projection.ts';
export { taskFree } from './task-budget.ts';
export {
  childPrefix,
  isTaskLive,
  openTaskPrefix,
  pathKeys,
  readOpenTaskKey,
  taskKey,
} from './task-row.ts';
