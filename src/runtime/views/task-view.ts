import {
  type ChangeTaskRow,
  changeTaskKey,
  childPrefix,
  findTask,
  openTaskPrefix,
  readOpenTaskKey,
  type TaskRow,
  taskFree,
} from '../../gate/index.ts';
import type { OperationRequest, OperationResponse } from '../../http/contract.ts';
import { type Actor, fault } from '../../kernel/index.ts';
import { type Ledger, readRow } from '../../ledger/index.ts';

type ShownTask = OperationResponse<'GET /v1/tasks/{task}'>;
type Page = OperationResponse<'GET /v1/tasks'>;
type Query = OperationRequest<'GET /v1/tasks'>['query'];

/** As `actor` may see it, if given. */
export async function showTask(task: string, ledger: Ledger, actor?: Actor): Promise<ShownTask> {
  const row = await findTask(ledger, task);
  if (actor !== undefined && !(await mayLook(actor, row, ledger))) {
    throw fault('TASK_UNKNOWN', { task });
  }
  return formTask(row, ledger);
}

/** An agent sees its own tasks and those split off them; people see all. */
export async function mayLook(
  actor: Actor,
  { agent, path }: TaskRow,
  ledger: Ledger,
): Promise<boolean> {
  if (!actor.startsWith('agent:') || agent === actor) return true;
  for (const above of path) if ((await findTask(ledger, above)).agent === actor) return true;
  return false;
}

export async function listTasks(query: Query, actor: Actor, ledger: Ledger): Promise<Page> {
  const { parent, after = '', limit } = query;
  if (parent !== undefined) await showTask(parent, ledger, actor);
  const prefix = parent === undefined ? openTaskPrefix : childPrefix(parent);
  const tasks: ShownTask[] = [];
  let last = '';
  for await (const { key, value } of ledger.rows<{ agent?: string }>(prefix)) {
    const cursor = key.slice(prefix.length);
    if (cursor <= after) continue;
    if (parent === undefined && actor.startsWith('agent:') && value.agent !== actor) continue;
    if (tasks.length === limit) return { tasks, next: last };
    const task = parent === undefined ? readOpenTaskKey(key).task : cursor;
    tasks.push(await formTask(await findTask(ledger, task), ledger));
    last = cursor;
  }
  return { tasks, next: null };
}

export async function formTask(row: TaskRow, ledger: Ledger): Promise<ShownTask> {
  const { task, parent, agent, status, phase, children, openProposals, expiresAt } = row;
  return {
    task,
    parent,
    agent,
    status,
    goal: await goalOf(row, ledger),
    tools: row.tools,
    resources: row.resources,
    phases: row.phases,
    phase,
    budgets: budgetsOf(row),
    children,
    openProposals,
    expiresAt,
    change: await changeOf(task, ledger),
    lease: row.lease ?? null,
    replacedBy: row.replacedBy ?? null,
  };
}

function budgetsOf({ budgets, status }: TaskRow): ShownTask['budgets'] {
  const shown = Object.entries(budgets).map(([dimension, budget]) => {
    // What was left of a task when it ended went back to its parents.
    const free = status === 'open' ? taskFree(budget) : 0;
    return [dimension, { ...budget, free }];
  });
  return Object.fromEntries(shown) as ShownTask['budgets'];
}

async function goalOf({ openedSeq }: TaskRow, ledger: Ledger): Promise<string | null> {
  const contents = await ledger.contents(openedSeq);
  const value = contents.find(({ name }) => name === 'goal')?.value;
  return typeof value === 'string' ? value : null;
}

async function changeOf(task: string, ledger: Ledger): Promise<ShownTask['change']> {
  const row = await readRow<ChangeTaskRow>(ledger, changeTaskKey(task));
  if (!row) return null;
  const { task: _, agent: __, ...change } = row;
  return change;
}
