import type { Instant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import { type BudgetState, free, freeAt, untouched } from './budget.ts';
import { budgetId, dimensionOf, perMsOf } from './budget-id.ts';

/** What a grant reserves, and where. */
export type Charge = {
  /** The key of a row: `account/…` or `task/…`. */
  readonly account: string;
  readonly budget: string;
  readonly amount: number;
};

/** How a charge ended. */
export type SettledCharge = {
  readonly account: string;
  readonly budget: string;
  readonly reserved: number;
  readonly actual: number;
};

/** An account by the names of its budgets. */
export type AccountRow = Readonly<Record<string, BudgetState>>;

/** How much of something an account may hold. */
export interface AccountLimit {
  readonly account: string;
  readonly budget: string;
  readonly limit: number;
}

/** The first budget that does not suffice. */
export interface Shortfall extends AccountLimit {
  readonly free: number;
  readonly wanted: number;
  /** When it would suffice if nothing else happened; null if waiting alone does not help. */
  readonly returnsAt: Instant | null;
}

const accountPrefix = 'account/';
export const accountKey = (scope: string): string => accountPrefix + scope;
export const isAccount = ({ account }: { account: string }): boolean =>
  account.startsWith(accountPrefix);

/** A rate is a budget of calls with a window: one account can have several. */
export function rateLimit(account: string, rate: { max: number; perMs: number }): AccountLimit {
  return { account, budget: budgetId('calls', rate.perMs), limit: rate.max };
}

/**
 * One charge for each budget that has a cost, however many limits it has to keep: a rate of 60
 * calls a minute and a budget of 100 calls a minute count the same calls.
 */
export function chargesFor(
  limits: readonly AccountLimit[],
  costs: ReadonlyMap<string, number>,
): Charge[] {
  const charges = new Map<string, Charge>();
  for (const { account, budget } of limits) {
    // Of 0, too: what it really costs is known only afterwards, and has to be paid then.
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
    // One that is used up takes nothing more, not even what may turn out to cost nothing.
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
