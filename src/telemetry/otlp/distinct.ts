import { telemetryLimits } from '../limits.ts';
import type { IntakeCounts } from './counts.ts';

/** What stands for all values beyond the bound. */
export const folded = '(others)';

/**
 * How many different values each service may have of something that questions group by. Somebody
 * who puts an id where a name belongs would make a group of every row.
 */
export class Distinct {
  readonly #seen = new Map<string, Set<string>>();
  readonly #what: string;
  readonly #most: number;
  readonly #counts: IntakeCounts;

  constructor(what: string, most: number, counts: IntakeCounts) {
    this.#what = what;
    this.#most = most;
    this.#counts = counts;
  }

  /** Whether this value is one of those that are known, which it may become by this. */
  has(service: string, value: string): boolean {
    const seen = this.#of(service);
    if (seen.has(value)) return true;
    if (seen.size < this.#most) {
      seen.add(value);
      return true;
    }
    this.#counts.add(`${this.#what} folded`);
    return false;
  }

  fold(service: string, value: string): string {
    return value === '' || this.has(service, value) ? value : folded;
  }

  #of(service: string): Set<string> {
    let seen = this.#seen.get(service);
    if (seen) return seen;
    // All services beyond the bound share what one may have.
    const name = this.#seen.size < telemetryLimits.telemetryServicesMax ? service : folded;
    seen = this.#seen.get(name) ?? new Set();
    this.#seen.set(name, seen);
    return seen;
  }
}
