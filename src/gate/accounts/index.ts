export { addSpent, checkAmount } from './amount.ts';
export { free, release, reserve } from './budget.ts';
export { budgetId } from './budget-id.ts';
export {
  type AccountLimit,
  type AccountRow,
  accountKey,
  budgetOf,
  type Charge,
  chargesFor,
  rateLimit,
  type SettledCharge,
  type Shortfall,
  shortfall,
} from './charges.ts';
export { accounts, chargesOf, settledOf, settlingKinds } from './projection.ts';
