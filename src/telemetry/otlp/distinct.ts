import { telemetryLimits } from '../limits.ts';
import type { IntakeCounts } from './counts.ts';

/** Stands for all values beyond the limit. */
export const folded = '(others)';

/**
 * Limits the distinct values of each service in a column that questions group by. A service that
 * puts an id where a name belongs would otherwise make a group of every row.
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

  /** Whether this value is known or can still be added. */
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
    // All services beyond the limit share the allowance of one.
    const name = this.#seen.size < telemetryLimits.telemetryServicesMax ? service : folded;
    seen = this.#seen.get(name) ?? new Set();
    this.#seen.set(name, seen);
    return seen;
  }
}
