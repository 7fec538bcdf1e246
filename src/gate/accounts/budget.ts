import type { Instant } from '../../kernel/index.ts';
import { addSpent, checkAmount } from './amount.ts';
import { perMsOf } from './budget-id.ts';
import { add, returnsAt, used, type WindowPart } from './window.ts';

/** A budget for good counts in `spent`; one with a window in `parts`, and its `spent` stays 0. */
export type BudgetState = {
  readonly spent: number;
  readonly reserved: number;
  /** Set apart for the children of a task; accounts have none. */
  readonly carved?: number;
  readonly parts?: readonly WindowPart[];
};

export const untouched: BudgetState = { spent: 0, reserved: 0 };

/** How a reservation ends. `actual` may be more than was reserved. */
export interface Settlement {
  readonly reserved: number;
  readonly actual: number;
}

/** What may still be reserved. Below zero: overdrawn, by settlements that went upward. */
export function free(
  state: BudgetState,
  limit: number,
  perMs: number | null,
  now: Instant,
): number {
  const { spent, parts = [] } = state;
  return limit - held(state) - (perMs === null ? spent : used(parts, perMs, now));
}

function held({ reserved, carved = 0 }: BudgetState): number {
  return reserved + carved;
}

/**
 * When `wanted` will be free if nothing else happens; null if nobody can say: the budget is for
 * good, or what is reserved now would have to be given back first.
 */
export function freeAt(
  state: BudgetState,
  limit: number,
  perMs: number | null,
  wanted: number,
  now: Instant,
): Instant | null {
  if (perMs === null) return null;
  return returnsAt(state.parts ?? [], perMs, limit - held(state), wanted, now);
}

/** Whether it may be reserved is not asked here: a workspace that only observes refuses nothing. */
export function reserve<State extends BudgetState>(
  state: State,
  budget: string,
  amount: number,
): State {
  const reserved = state.reserved + checkAmount(budget, amount);
  return { ...state, reserved: checkAmount(budget, reserved) };
}

/** Giving back more than was taken would mint budget: whoever tries gets nothing recorded. */
export function release<State extends BudgetState>(
  state: State,
  budget: string,
  amount: number,
): State {
  const reserved = state.reserved - checkAmount(budget, amount);
  return { ...state, reserved: checkAmount(budget, reserved) };
}

/** What it really cost takes the place of what was reserved, at the time of the settlement. */
export function settle(
  state: BudgetState,
  budget: string,
  { reserved, actual }: Settlement,
  at: Instant,
): BudgetState {
  const released = release(state, budget, reserved);
  const amount = checkAmount(budget, actual);
  const perMs = perMsOf(budget);
  if (perMs === null) return { ...released, spent: addSpent(released.spent, amount) };
  return { ...released, parts: add(released.parts ?? [], perMs, at, amount) };
}
