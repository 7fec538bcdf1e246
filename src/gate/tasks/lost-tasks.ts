import { type Clock, isFault } from '../../kernel/index.ts';
import { type Decided, type Draft, type Ledger, readRow } from '../../ledger/index.ts';
import type { Notify } from '../tool-call.ts';
import type { TaskRow } from './api-schema.ts';
import { collectSubtree, planCancellation, subtreeKeys } from './cancel.ts';
import { cancelTask } from './cancel-task.ts';
import type { TaskCommandDeps } from './commands.ts';
import { taskFree } from './task-budget.ts';
import { childKey, leasedTaskPrefix, taskKey } from './task-row.ts';
import { readTaskRow } from './tree.ts';

export interface LostTaskDeps extends TaskCommandDeps {
  readonly clock: Clock;
  readonly notify: Notify;
}

const lostReason = 'its agent did nothing for it within its lease';

/** Finds tasks whose agent has gone, and does what each of them says for this case. */
export async function handleLostTasks(
  deps: LostTaskDeps,
  onError: (error: unknown) => void,
): Promise<void> {
  for (const row of await findLostTasks(deps)) {
    await handle(row, deps).catch((error) => {
      if (!isFault(error, 'TASK_CLOSED')) onError(error);
    });
  }
}

async function findLostTasks({ ledger, clock }: LostTaskDeps): Promise<TaskRow[]> {
  const lost: TaskRow[] = [];
  for await (const { key } of ledger.rows(leasedTaskPrefix)) {
    const row = await readRow<TaskRow>(ledger, taskKey(key.slice(leasedTaskPrefix.length)));
    if (row && isLost(row, clock.now())) lost.push(row);
  }
  return lost;
}

/** A call that runs, or an open child that is worked on, shows that somebody is there. */
function isLost({ status, lease, openProposals, children }: TaskRow, now: number): boolean {
  if (status !== 'open' || !lease || lease.isLost) return false;
  if (openProposals > 0 || children > 0) return false;
  return now >= lease.renewedAt + lease.leaseMs;
}

async function handle(row: TaskRow, deps: LostTaskDeps): Promise<void> {
  const { task, agent, lease, parent } = row;
  deps.notify({ event: 'task-lost', facts: { task, agent, rule: lease?.onLost ?? 'cancel' } });
  if (lease?.onLost === 'ask') return markLost(row, deps.ledger);
  if (lease?.onLost === 'replace' && parent !== null) return replaceTask(row, parent, deps);
  await cancelTask('surety:gate', task, lostReason, deps);
}

async function markLost({ task }: TaskRow, ledger: Ledger): Promise<void> {
  await ledger.transact({
    keys: [taskKey(task)],
    decide: (rows, now) => {
      const isStill = isLost(readTaskRow(rows, task), now);
      const draft: Draft = { kind: 'task-lost', actor: 'surety:gate', body: { task } };
      return { drafts: isStill ? [draft] : [], result: () => undefined };
    },
  });
}

/** Cancels the task and gives what it has left to a new one, of the agent that split it off. */
async function replaceTask(row: TaskRow, parent: string, deps: LostTaskDeps): Promise<void> {
  const { ledger, makeIdentifier } = deps;
  const next = makeIdentifier('task');
  const goal = await readGoal(row, ledger);
  const tree = await collectSubtree(ledger, row);
  await ledger.transact({
    keys: subtreeKeys(row.path, tree),
    freshKeys: [taskKey(next), childKey(parent, next)],
    decide: (rows, now): Decided<undefined> => {
      const current = readTaskRow(rows, row.task);
      const ends = isLost(current, now)
        ? planCancellation(rows, tree, 'surety:gate', lostReason)
        : null;
      if (!ends) return { drafts: [], result: () => undefined };
      const { agent } = readTaskRow(rows, parent);
      const cancelled = ends.map((end) => withReplacement(end, row.task, next));
      const drafts = [...cancelled, replacement(current, next, agent, goal)];
      return { drafts, result: () => undefined };
    },
  });
}

function withReplacement(end: Draft, task: string, next: string): Draft {
  return end.body.task === task ? { ...end, body: { ...end.body, replacedBy: next } } : end;
}

function replacement(row: TaskRow, task: string, agent: string, goal: string): Draft {
  const { parent, path, tools, resources, phases, budgets, expiresAt, joins, lease } = row;
  const left = Object.entries(budgets).map(([name, one]) => [name, Math.max(0, taskFree(one))]);
  const body = {
    task,
    parent,
    path,
    agent,
    tools,
    resources,
    phases,
    budgets: Object.fromEntries(left) as Record<string, number>,
    expiresAt,
    // If that one is lost as well, a third would have nobody else to go to.
    ...(lease ? { lease: { leaseMs: lease.leaseMs, onLost: 'ask' as const } } : {}),
    ...(joins ? { joins } : {}),
  };
  const contents = [{ name: 'goal', subject: task, value: goal }];
  return { kind: 'task-split', actor: 'surety:gate', body, contents };
}

async function readGoal({ openedSeq }: TaskRow, ledger: Ledger): Promise<string> {
  const contents = await ledger.contents(openedSeq);
  const value = contents.find(({ name }) => name === 'goal')?.value;
  return typeof value === 'string' ? value : 'the goal was forgotten';
}
