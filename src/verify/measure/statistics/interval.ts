import { betOnMoreThan } from './betting.ts';

/** From a pair to a pair; null where the pairs leave it open. */
export interface Interval {
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Where the median is, with 95 % on both sides together, however often one looked before: every
 * value that a bet against it has not refuted.
 */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = values.toSorted((one, other) => one - other);
  const needed = winsNeeded(sorted.length, Math.log(2 / 0.05));
  if (needed === null) return { low: null, high: null };
  return { low: sorted[sorted.length - needed] ?? null, high: sorted[needed - 1] ?? null };
}

/** Of so many throws of a coin, how many heads refute that it is fair. */
function winsNeeded(rounds: number, log: number): number | null {
  let [few, enough] = [rounds >> 1, rounds + 1];
  while (enough - few > 1) {
    const wins = (few + enough) >> 1;
    if (wealthOf(wins, rounds - wins) >= log) enough = wins;
    else few = wins;
  }
  return enough <= rounds ? enough : null;
}

function wealthOf(wins: number, losses: number): number {
  const bet = betOnMoreThan(0.5);
  bet.observe(1, wins);
  bet.observe(0, losses);
  return bet.log;
}
