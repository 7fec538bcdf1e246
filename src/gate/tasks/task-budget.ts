import { addSpent, checkAmount } from '../accounts/index.ts';
import type { TaskBudget, TaskRow } from './api-schema.ts';

export function newBudgets(limits: Readonly<Record<string, number>>): TaskRow['budgets'] {
  const named = Object.entries(limits).map(([dimension, limit]) => [
    dimension,
    { limit: checkAmount(dimension, limit), spent: 0, reserved: 0, carved: 0 },
  ]);
  return Object.fromEntries(named) as TaskRow['budgets'];
}

/** What may still be reserved or carved. Below zero at a root, or where nothing is refused. */
export function taskFree({ limit, spent, reserved, carved }: TaskBudget): number {
  return limit - spent - reserved - carved;
}

export function budgetIn({ budgets }: TaskRow, dimension: string): TaskBudget | undefined {
  return Object.hasOwn(budgets, dimension) ? budgets[dimension] : undefined;
}

/** As much as its parent has to set apart for a task. */
export function heldBy(row: TaskRow | undefined, dimension: string): number {
  const budget = row && budgetIn(row, dimension);
  if (!budget) return 0;
  return row.status === 'open' ? budget.limit : budget.reserved + budget.carved;
}

export function carve(budget: TaskBudget, dimension: string, change: number): TaskBudget {
  return { ...budget, carved: checkAmount(dimension, budget.carved + change) };
}

/**
 * An open task pays as far as its own limit goes, and its parent the rest: only a root can be
 * overdrawn. One that has ended has given everything back, so its parent pays all.
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
