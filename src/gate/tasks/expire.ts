import { type Clock, isFault } from '../../kernel/index.ts';
import { cancelTask } from './cancel-task.ts';
import { findTask, type TaskCommandDeps } from './commands.ts';
import { openTaskPrefix, readOpenTaskKey } from './task-row.ts';

export interface ExpiryDeps extends TaskCommandDeps {
  readonly clock: Clock;
}

const tasksPerLook = 100;

/** Cancels expired tasks, so that their remaining budget returns to their parents. */
export async function expireTasks(
  deps: ExpiryDeps,
  onError: (error: unknown) => void,
): Promise<void> {
  const due = await dueTasks(deps);
  for (const task of due) {
    const { status, path } = await findTask(deps.ledger, task);
    // An ancestor that is due as well cancels it.
    if (status !== 'open' || path.some((above) => due.has(above))) continue;
    await cancelTask('surety:gate', task, 'its time is over', deps).catch((error) => {
      if (!isFault(error, 'TASK_CLOSED')) onError(error);
    });
  }
}

async function dueTasks({ ledger, clock }: ExpiryDeps): Promise<Set<string>> {
  const now = clock.now();
  const due = new Set<string>();
  for await (const { key } of ledger.rows(openTaskPrefix)) {
    const { task, until } = readOpenTaskKey(key);
    if (now < until || due.size === tasksPerLook) break;
    due.add(task);
  }
  return due;
}
