import type { Instant } from '../kernel/index.ts';
import { probeLimits } from './limits.ts';

const secondMs = 1_000;

/** Never more pauses than the limit in any second, wherever that second begins. */
export class PauseRate {
  readonly #recent: Instant[] = [];

  paused(now: Instant): void {
    this.#recent.push(now);
    if (this.#recent.length > probeLimits.probePausesPerSecondMax) this.#recent.shift();
  }

  /** How long to wait until the process may be stopped again. */
  waitMs(now: Instant): number {
    const [oldest] = this.#recent;
    if (oldest === undefined || this.#recent.length < probeLimits.probePausesPerSecondMax) return 0;
    return Math.max(0, oldest + secondMs - now);
  }
}
