import type { Rows } from '../../ledger/index.ts';
import { release, reserve, type SettledCharge } from '../accounts/index.ts';
import type { TaskBudget, TaskRow } from './api-schema.ts';
import { budgetIn, carve, heldBy, pay } from './task-budget.ts';
import { taskKey } from './task-row.ts';

export function readTaskRow(rows: Pick<Rows, 'get'>, task: string): TaskRow {
  const row = rows.get<TaskRow>(taskKey(task));
  // The entry was written under the same lock as this row.
  if (!row) throw new Error(`an entry names the task ${task}, which does not exist`);
  return row;
}

/** The amount that a task leaves to its parent, by dimension. */
type Unpaid = ReadonlyMap<string, number>;

const nothing: Unpaid = new Map();

/**
 * Replaces a task's row and updates its ancestors: what they set aside for it, and what they have
 * to pay. Stops where nothing changes.
 */
export function replaceTask(
  rows: Rows,
  before: TaskRow | undefined,
  after: TaskRow,
  unpaid: Unpaid = nothing,
): void {
  rows.set(taskKey(after.task), after);
  if (after.parent === null) return;
  const parent = readTaskRow(rows, after.parent);
  const next = carryUp(parent, before, after, unpaid);
  if (next.row !== parent) replaceTask(rows, parent, next.row, next.unpaid);
}

function carryUp(
  parent: TaskRow,
  before: TaskRow | undefined,
  after: TaskRow,
  unpaid: Unpaid,
): { row: TaskRow; unpaid: Unpaid } {
  let row = withChildren(parent, before, after);
  const left = new Map<string, number>();
  for (const [dimension, budget] of Object.entries(parent.budgets)) {
    const held = heldBy(after, dimension) - heldBy(before, dimension);
    const amount = unpaid.get(dimension) ?? 0;
    if (held === 0 && amount === 0) continue;
    const paid = pay(parent, carve(budget, dimension, held), amount);
    if (paid.rest > 0) left.set(dimension, paid.rest);
    row = withBudget(row, dimension, paid.budget);
  }
  return { row, unpaid: left };
}

function withChildren(parent: TaskRow, before: TaskRow | undefined, after: TaskRow): TaskRow {
  const change = Number(after.status === 'open') - Number(before?.status === 'open');
  return change === 0 ? parent : { ...parent, children: parent.children + change };
}

function withBudget(row: TaskRow, dimension: string, budget: TaskBudget): TaskRow {
  return { ...row, budgets: { ...row.budgets, [dimension]: budget } };
}

function budgetFor(row: TaskRow, dimension: string): TaskBudget {
  const budget = budgetIn(row, dimension);
  if (!budget) throw new Error(`the task ${row.task} has no budget of ${dimension}`);
  return budget;
}

export function reserveInTask(rows: Rows, task: string, dimension: string, amount: number): void {
  const row = readTaskRow(rows, task);
  const budget = reserve(budgetFor(row, dimension), dimension, amount);
  replaceTask(rows, row, withBudget(row, dimension, budget));
}

export function settleInTask(rows: Rows, task: string, settled: SettledCharge): void {
  const { budget: dimension, reserved, actual } = settled;
  const row = readTaskRow(rows, task);
  const released = release(budgetFor(row, dimension), dimension, reserved);
  const { budget, rest } = pay(row, released, actual);
  const unpaid = rest > 0 ? new Map([[dimension, rest]]) : nothing;
  replaceTask(rows, row, withBudget(row, dimension, budget), unpaid);
}

/** An ending task returns what it did not use, and its parent pays what it did. */
export function endTask(
  rows: Rows,
  task: string,
  status: 'closed' | 'cancelled',
  seq: number,
): void {
  const row = readTaskRow(rows, task);
  if (row.status !== 'open' || row.children > 0) {
    throw new Error(`the task ${task} is ${row.status} with ${row.children} open children`);
  }
  const spent = Object.entries(row.budgets).map(([name, budget]) => [name, budget.spent] as const);
  replaceTask(rows, row, { ...row, status, endedSeq: seq }, new Map(spent));
}
