/** Milliseconds since the Unix epoch, on the runtime's clock. Never taken from a caller. */
export type Instant = number;

export interface Clock {
  now(): Instant;
  /** From here on no reading is before `instant` (a ledger may be ahead of this machine). */
  keepAfter(instant: Instant): void;
  /**
   * How far readings are ahead of the wall clock: for times that other machines compare with their
   * own clocks.
   */
  aheadMs(): number;
}

/** What a clock is made of; tests give their own. */
export interface TimeSources {
  /** Wall clock, may be stepped in either direction. */
  wallMs(): number;
  /** Never goes back, may stop while the machine sleeps. */
  monotonicMs(): number;
}

/**
 * A wall clock that never goes back and never stands still. When the wall clock is stepped back,
 * time goes on at its normal pace from the latest reading, so that leases still end when they
 * should; when it is stepped forward (or the machine slept) it is followed.
 */
export function createClock(sources: TimeSources = systemTime): Clock {
  let offsetMs = sources.wallMs() - sources.monotonicMs();
  const now = (): Instant => {
    const monotonic = sources.monotonicMs();
    offsetMs = Math.max(offsetMs, sources.wallMs() - monotonic);
    return Math.floor(monotonic + offsetMs);
  };
  return {
    now,
    aheadMs: () => Math.max(0, now() - sources.wallMs()),
    keepAfter(instant) {
      offsetMs = Math.max(offsetMs, instant - sources.monotonicMs());
    },
  };
}

/** As people and programs read it: 2026-11-15T06:00:00.000Z. */
export function showInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}

const systemTime: TimeSources = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
