/**
 * Limits how many requests a caller may send per minute. A caller that was idle may send a whole
 * minute's worth at once; after such a burst, requests are let through evenly.
 */
export class RateLimiter {
  /** By caller: when all requests so far are paid for at the allowed rate. */
  readonly #paidAt = new Map<string, number>();
  readonly #perMinute: (who: string) => number;
  readonly #now: () => number;

  constructor(perMinute: (who: string) => number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts as many requests more, after the fact; they delay the next one. */
  charge(who: string, requests: number): void {
    const paidAt = Math.max(this.#paidAt.get(who) ?? 0, this.#now());
    this.#paidAt.set(who, paidAt + (requests * minuteMs) / this.#perMinute(who));
  }

  /** Counts a request and returns 0; or returns the wait in milliseconds and counts nothing. */
  take(who: string): number {
    const costMs = minuteMs / this.#perMinute(who);
    const now = this.#now();
    const paidAt = Math.max(this.#paidAt.get(who) ?? 0, now) + costMs;
    const waitMs = paidAt - now - minuteMs;
    // Fractions add up inexactly: a thousandth of a request is no reason to refuse one.
    if (waitMs > costMs / 1_000) return waitMs;
    this.#paidAt.set(who, paidAt);
    return 0;
  }
}

const minuteMs = 60_000;
