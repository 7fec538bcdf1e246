import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import { type BudgetState, reserve, settle } from './budget.ts';
import {
  type AccountRow,
  budgetOf,
  type Charge,
  isAccount,
  type SettledCharge,
} from './charges.ts';

/** The entries that may end a reservation. They do if they contain settled charges. */
export const settlingKinds: readonly string[] = [
  'proposal-committed',
  'proposal-failed',
  'proposal-unknown',
  'proposal-reconciled',
  'proposal-compensated',
];

export const chargesOf = ({ body }: Entry): readonly Charge[] =>
  (body.charges ?? []) as readonly Charge[];
export const settledOf = ({ body }: Entry): readonly SettledCharge[] =>
  (body.settled ?? []) as readonly SettledCharge[];

/**
 * The reserved and spent amounts of each account. An unknown outcome settles nothing: its
 * reservation stays until the outcome is known.
 */
export const accounts: Projection = {
  kinds: ['proposal-granted', ...settlingKinds],
  keys: (entry) => [...chargesOf(entry), ...settledOf(entry)].filter(isAccount).map(rowOf),
  apply: (rows, entry) => {
    for (const charge of chargesOf(entry).filter(isAccount)) {
      change(rows, charge, (state) => reserve(state, charge.budget, charge.amount));
    }
    for (const settled of settledOf(entry).filter(isAccount)) {
      change(rows, settled, (state) => settle(state, settled.budget, settled, entry.at));
    }
  },
};

const rowOf = ({ account }: { account: string }): string => account;

function change(
  rows: Rows,
  { account, budget }: { account: string; budget: string },
  to: (state: BudgetState) => BudgetState,
): void {
  const row = rows.get<AccountRow>(account) ?? {};
  rows.set(account, { ...row, [budget]: to(budgetOf(rows, account, budget)) });
}
