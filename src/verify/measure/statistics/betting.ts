/**
 * A game that is fair, or worse, as long as a hypothesis holds: the probability of multiplying the
 * stake by 100 is at most 1 %, whenever one stops (Ville's inequality). Wealth is in logarithms,
 * because a clear case multiplies the stake beyond the range of numbers.
 */
export class Bet {
  readonly #logs: Float64Array;
  /** By outcome, the factor of each stake. */
  readonly #factors: ReadonlyMap<number, Float64Array>;
  #most = 0;
  #rounds = 0;

  constructor(outcomes: ReadonlyMap<number, readonly number[]>) {
    const tables = [...outcomes].map(
      ([outcome, factors]) => [outcome, Float64Array.from(factors, Math.log)] as const,
    );
    this.#factors = new Map(tables);
    this.#logs = new Float64Array(tables[0]?.[1].length ?? 0);
  }

  observe(outcome: number, times = 1): void {
    const factors = this.#factors.get(outcome);
    if (factors === undefined) return;
    this.#rounds += times;
    for (const [index, factor] of factors.entries()) {
      this.#logs[index] = (this.#logs[index] ?? 0) + factor * times;
    }
    this.#most = Math.max(this.#most, this.log);
  }

  /** The wealth of all bet sizes together. */
  get log(): number {
    const top = Math.max(...this.#logs);
    const sum = this.#logs.reduce((total, log) => total + Math.exp(log - top), 0);
    return top + Math.log(sum / this.#logs.length);
  }

  /** The highest wealth so far. */
  get mostLog(): number {
    return this.#most;
  }

  /** How many rounds reach this wealth, if they continue like those so far. */
  roundsTo(log: number): number {
    const rate = Math.max(...this.#logs) / this.#rounds;
    const wanted = log + Math.log(this.#logs.length);
    return rate > 0 ? Math.ceil(wanted / rate) : Number.POSITIVE_INFINITY;
  }
}

/** Small bets win slowly but surely, large ones fast: the stake is spread over all sizes. */
const sizes = [0.1, 0.22, 0.4, 0.6, 0.85];

/** Against: no more than this share of the rounds is won. Outcomes are 1 (won) and 0. */
export function betOnMoreThan(share: number): Bet {
  const alternatives = sizes.map((size) => share + (1 - share) * size);
  return new Bet(
    new Map([
      [1, alternatives.map((p) => p / share)],
      [0, alternatives.map((p) => (1 - p) / (1 - share))],
    ]),
  );
}

/** Against: the rounds that are 1 exceed those that are −1 by at least this share of all. */
export function betOnLessExcessThan(share: number): Bet {
  const stakes = sizes.map((size) => size / (1 - share));
  const outcomes = [-1, 0, 1].map(
    (outcome) => [outcome, stakes.map((stake) => 1 + stake * (share - outcome))] as const,
  );
  return new Bet(new Map(outcomes));
}
