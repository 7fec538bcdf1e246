import type { Instant } from '../../kernel/index.ts';
import { addSpent, checkAmount } from './amount.ts';
import { perMsOf } from './budget-id.ts';
import { add, returnsAt, used, type WindowPart } from './window.ts';

/**
 * A budget without a window counts in `spent`. One with a window counts in `parts`, and `spent`
 * stays 0.
 */
export type BudgetState = {
  readonly spent: number;
  readonly reserved: number;
  /** The part carved for the children of a task; accounts have none. */
  readonly carved?: number;
  readonly parts?: readonly WindowPart[];
};

export const untouched: BudgetState = { spent: 0, reserved: 0 };

/** The end of a reservation. `actual` may exceed the reserved amount. */
export interface Settlement {
  readonly reserved: number;
  readonly actual: number;
}

/**
 * The amount that can still be reserved. It is negative when settlements exceeded their
 * reservations.
 */
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
 * When `wanted` will be free if nothing else happens. Null if unknown: the budget has no window, or
 * a reservation would have to be returned first.
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

/** Does not check whether the budget suffices, because observe mode refuses nothing. */
export function reserve<State extends BudgetState>(
  state: State,
  budget: string,
  amount: number,
): State {
  const reserved = state.reserved + checkAmount(budget, amount);
  return { ...state, reserved: checkAmount(budget, reserved) };
}

/** Throws if more is returned than was reserved, because that would create budget. */
export function release<State extends BudgetState>(
  state: State,
  budget: string,
  amount: number,
): State {
  const reserved = state.reserved - checkAmount(budget, amount);
  return { ...state, reserved: checkAmount(budget, reserved) };
}

/** Replaces the reservation by the real cost, at the time of the settlement. */
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
