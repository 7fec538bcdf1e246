import type { Instant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import { type BudgetState, free, freeAt, untouched } from './budget.ts';
import { budgetId, dimensionOf, perMsOf } from './budget-id.ts';

/** One reservation of a grant, in one budget of one account. */
export type Charge = {
  /** The key of a row: `account/…` or `task/…`. */
  readonly account: string;
  readonly budget: string;
  readonly amount: number;
};

/** A charge after its settlement. */
export type SettledCharge = {
  readonly account: string;
  readonly budget: string;
  readonly reserved: number;
  readonly actual: number;
};

/** The budgets of an account, by name. */
export type AccountRow = Readonly<Record<string, BudgetState>>;

/** The limit of one budget of an account. */
export interface AccountLimit {
  readonly account: string;
  readonly budget: string;
  readonly limit: number;
}

/** The first budget that is too small for a call. */
export interface Shortfall extends AccountLimit {
  readonly free: number;
  readonly wanted: number;
  /** When the budget would suffice if nothing else happened; null if waiting does not help. */
  readonly returnsAt: Instant | null;
}

const accountPrefix = 'account/';
export const accountKey = (scope: string): string => accountPrefix + scope;
export const isAccount = ({ account }: { account: string }): boolean =>
  account.startsWith(accountPrefix);

/** A rate is a budget of calls with a window. An account can have several. */
export function rateLimit(account: string, rate: { max: number; perMs: number }): AccountLimit {
  return { account, budget: budgetId('calls', rate.perMs), limit: rate.max };
}

/**
 * One charge per budget, even if several limits apply to it: a rate of 60 calls a minute and a
 * budget of 100 calls a minute count the same calls.
 */
export function chargesFor(
  limits: readonly AccountLimit[],
  costs: ReadonlyMap<string, number>,
): Charge[] {
  const charges = new Map<string, Charge>();
  for (const { account, budget } of limits) {
    // Charges of 0 count too: the real cost may be known only afterwards and must be paid then.
    const amount = costs.get(dimensionOf(budget));
    if (amount !== undefined) charges.set(`${account} ${budget}`, { account, budget, amount });
  }
  return [...charges.values()];
}

export function budgetOf(rows: ReadRows, account: string, budget: string): BudgetState {
  const row = rows.get<AccountRow>(account);
  return row && Object.hasOwn(row, budget) ? (row[budget] as BudgetState) : untouched;
}

export function shortfall(
  rows: ReadRows,
  limits: readonly AccountLimit[],
  charges: readonly Charge[],
  now: Instant,
): Shortfall | null {
  for (const { account, budget, limit } of limits) {
    const wanted = wantedOf(charges, account, budget);
    if (wanted === undefined) continue;
    const perMs = perMsOf(budget);
    const state = budgetOf(rows, account, budget);
    const left = free(state, limit, perMs, now);
    // An exhausted budget allows nothing, not even a call that may turn out to cost nothing.
    if (wanted <= left && left > 0) continue;
    const at = freeAt(state, limit, perMs, wanted, now);
    return { account, budget, limit, free: left, wanted, returnsAt: at };
  }
  return null;
}

function wantedOf(charges: readonly Charge[], account: string, budget: string): number | undefined {
  const found = charges.find((charge) => charge.account === account && charge.budget === budget);
  return found?.amount;
}
