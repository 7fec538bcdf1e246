/**
 * How often somebody may call. What nobody used in a minute is kept for a burst, and no more than
 * that: after a burst turns come back evenly.
 */
export class Turns {
  /** When everything that was used so far is paid for, by who used it. */
  readonly #paidAt = new Map<string, number>();
  readonly #perMinute: (who: string) => number;
  readonly #now: () => number;

  constructor(perMinute: (who: string) => number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes a turn; or says in how many milliseconds the next one comes, and takes none. */
  take(who: string): number {
    const costMs = minuteMs / this.#perMinute(who);
    const now = this.#now();
    const paidAt = Math.max(this.#paidAt.get(who) ?? 0, now) + costMs;
    const waitMs = paidAt - now - minuteMs;
    // Sums of fractions: less than a thousandth of a turn is no reason to refuse one.
    if (waitMs > costMs / 1_000) return waitMs;
    this.#paidAt.set(who, paidAt);
    return 0;
  }
}

const minuteMs = 60_000;
