import { fault } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';

/**
 * Checks that an amount is a whole, non-negative, exact number. Anything else would create budget.
 */
export function checkAmount(dimension: string, amount: unknown): number {
  if (Number.isSafeInteger(amount) && (amount as number) >= 0) {
    if ((amount as number) <= gateLimits.amountMax) return amount as number;
  }
  throw fault('AMOUNT_INVALID', { dimension, amount: String(amount).slice(0, shownCharacters) });
}

const shownCharacters = 40;

/**
 * Adds to a spent sum, which stops at the largest amount: an outcome must be recorded at any cost,
 * and a budget at that sum has nothing left.
 */
export function addSpent(spent: number, amount: number): number {
  return Math.min(spent + amount, gateLimits.amountMax);
}
