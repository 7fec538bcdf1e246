import { addSpent, checkAmount } from '../accounts/index.ts';
import type { TaskBudget, TaskRow } from './api-schema.ts';

export function newBudgets(limits: Readonly<Record<string, number>>): TaskRow['budgets'] {
  const named = Object.entries(limits).map(([dimension, limit]) => [
    dimension,
    { limit: checkAmount(dimension, limit), spent: 0, reserved: 0, carved: 0 },
  ]);
  return Object.fromEntries(named) as TaskRow['budgets'];
}

/** What can still be reserved or carved. Negative at a root, or in observe mode. */
export function taskFree({ limit, spent, reserved, carved }: TaskBudget): number {
  return limit - spent - reserved - carved;
}

export function budgetIn({ budgets }: TaskRow, dimension: string): TaskBudget | undefined {
  return Object.hasOwn(budgets, dimension) ? budgets[dimension] : undefined;
}

/** The amount that the parent sets aside for a task. */
export function heldBy(row: TaskRow | undefined, dimension: string): number {
  const budget = row && budgetIn(row, dimension);
  if (!budget) return 0;
  return row.status === 'open' ? budget.limit : budget.reserved + budget.carved;
}

export function carve(budget: TaskBudget, dimension: string, change: number): TaskBudget {
  return { ...budget, carved: checkAmount(dimension, budget.carved + change) };
}

/**
 * An open task pays up to its own limit and its parent pays the rest, so only a root can be
 * overdrawn. An ended task has returned everything, so its parent pays all.
 */
export function pay(
  { parent, status }: TaskRow,
  budget: TaskBudget,
  amount: number,
): { readonly budget: TaskBudget; readonly rest: number } {
  const room = Math.min(amount, Math.max(0, taskFree(budget)));
  const own = status === 'open' && parent !== null ? room : amount;
  const paid = { ...budget, spent: addSpent(budget.spent, own) };
  if (parent === null) return { budget: paid, rest: 0 };
  return { budget: paid, rest: status === 'open' ? amount - own : amount };
}
