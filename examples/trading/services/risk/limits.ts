import type { LimitAnswer, LimitQuestion } from '../../shared/risk-protocol.ts';

const USUAL_LIMIT = 100_000_000;
const LIMITS = new Map([
  ['BANK-2', 500_000_000],
  ['Müller & Söhne 株式会社', 1_000],
]);

/** A trade above its counterparty's limit is not made. */
export function checkLimit({ counterparty, amount }: LimitQuestion): LimitAnswer {
  const limit = LIMITS.get(counterparty) ?? USUAL_LIMIT;
  return { isWithin: amount <= limit, limit };
}
