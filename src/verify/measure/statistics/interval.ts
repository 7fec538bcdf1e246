import { betOnMoreThan } from './betting.ts';

/** Null where the pairs leave a bound open. */
interface Interval {
  readonly low: number | null;
  readonly high: number | null;
}

/** The 95 % interval of the median, valid at any time: all values that no bet has refuted. */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = values.toSorted((one, other) => one - other);
  const needed = winsNeeded(sorted.length, Math.log(2 / 0.05));
  if (needed === null) return { low: null, high: null };
  return { low: sorted[sorted.length - needed] ?? null, high: sorted[needed - 1] ?? null };
}

/** How many heads of so many throws refute that a coin is fair. */
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
