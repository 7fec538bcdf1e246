import type { Clock, Instant } from '../../kernel/index.ts';

export interface LeaseTimer {
  /** Fires at the earliest of these, which replace all earlier ones. */
  set(ends: readonly Instant[]): void;
}

/**
 * One timer, for the lease that ends next. It may fire a little early, or late after a change of
 * the machine's clock; the callback checks the clock and sets the timer again.
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
