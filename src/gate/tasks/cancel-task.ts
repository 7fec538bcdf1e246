import { type Actor, committedValue, fault } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { TaskRow } from './api-schema.ts';
import { collectSubtree, planCancellation, subtreeKeys } from './cancel.ts';
import { findTask, recordRefusal, type TaskCommandDeps } from './commands.ts';
import { readTaskRow } from './tree.ts';

const cancelTriesMax = 10;

/** Cancels a task and all its descendants at once. */
export async function cancelTask(
  actor: Actor,
  task: string,
  reason: string,
  deps: TaskCommandDeps,
): Promise<{ cancelled: number }> {
  const { act, ledger } = deps;
  const { root, authority } = await recordRefusal(actor, 'task.cancel', deps, async () => {
    const found = await findTask(ledger, task);
    return { root: found, authority: await authorityOver(found, actor, ledger) };
  });
  const about = authority === null ? {} : { task: authority };
  const proposal = { actor, tool: 'task.cancel', ...about, arguments: { task, reason } };
  const outcome = await act(proposal, async () => {
    for (let tries = 0; tries < cancelTriesMax; tries++) {
      const tasks = await cancelSubtree(root, actor, reason, ledger);
      if (tasks.length > 0) return { tasks };
    }
    throw fault('TASK_BUSY', { task });
  });
  const value = committedValue(outcome);
  await deps.onEnded?.(value.tasks);
  return { cancelled: value.tasks.length };
}

/** The cancelled tasks; none if the tree changed meanwhile. */
async function cancelSubtree(
  root: TaskRow,
  actor: Actor,
  reason: string,
  ledger: Ledger,
): Promise<string[]> {
  const tree = await collectSubtree(ledger, root);
  return ledger.transact({
    keys: subtreeKeys(root.path, tree),
    decide: (rows) => {
      const { task, status } = readTaskRow(rows, root.task);
      if (status !== 'open') throw fault('TASK_CLOSED', { task, status });
      const drafts = planCancellation(rows, tree, actor, reason) ?? [];
      return { drafts, result: () => drafts.map(({ body }) => String(body.task)) };
    },
  });
}

/**
 * The task that authorises an agent to cancel: the cancelled one or an ancestor that it owns.
 * People need none. Owners never change, so it can be looked up before the lock.
 */
async function authorityOver(root: TaskRow, actor: Actor, ledger: Ledger): Promise<string | null> {
  if (!actor.startsWith('agent:')) return null;
  for (const task of [root.task, ...root.path.toReversed()]) {
    if ((await findTask(ledger, task)).agent === actor) return task;
  }
  throw fault('TASK_NOT_YOURS', { task: root.task, agent: root.agent });
}
