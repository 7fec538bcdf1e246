import { fault } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';

/** An amount that may be charged: whole, not negative, exact. Anything else would mint budget. */
export function checkAmount(dimension: string, amount: unknown): number {
  if (Number.isSafeInteger(amount) && (amount as number) >= 0) {
    if ((amount as number) <= gateLimits.amountMax) return amount as number;
  }
  throw fault('AMOUNT_INVALID', { dimension, amount: String(amount).slice(0, shownCharacters) });
}

const shownCharacters = 40;

/**
 * What was spent only grows, and an outcome must be recorded whatever it cost: past the largest
 * amount the sum stays there, where nothing is free any more.
 */
export function addSpent(spent: number, amount: number): number {
  return Math.min(spent + amount, gateLimits.amountMax);
}
