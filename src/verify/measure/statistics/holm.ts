/**
 * Which of several hypotheses are rejected so that, whichever of them are true, one of those is
 * rejected with a probability of `level` at most (Holm). Evidence is what a bet made of its stake,
 * as a logarithm; its inverse is a p-value that allows for looking at any time.
 */
export function rejectedByHolm(evidence: readonly number[], level: number): boolean[] {
  const order = evidence.map((_, index) => index);
  order.sort((one, other) => (evidence[other] ?? 0) - (evidence[one] ?? 0));
  const rejected = evidence.map(() => false);
  for (const [rank, index] of order.entries()) {
    if (!((evidence[index] ?? 0) >= Math.log((evidence.length - rank) / level))) break;
    rejected[index] = true;
  }
  return rejected;
}
