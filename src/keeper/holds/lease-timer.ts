import type { Clock, Instant } from '../../kernel/index.ts';

export interface LeaseTimer {
  /** Wakes at the earliest of these, and forgets what it was told before. */
  set(ends: readonly Instant[]): void;
}

/**
 * One timer, for the lease that ends next. It may wake a little early, or late when the machine's
 * clock was moved; whoever is woken looks at the clock and sets it again.
 */
export function createLeaseTimer(clock: Clock, wake: () => void): LeaseTimer {
  let timer: NodeJS.Timeout | undefined;
  return {
    set(ends) {
      clearTimeout(timer);
      if (ends.length === 0) return;
      timer = setTimeout(wake, Math.max(1, Math.min(...ends) - clock.now()));
    },
  };
}
