import {
  createClock,
  durationMs,
  durationPattern,
  fault,
  type Instant,
} from '../../kernel/index.ts';

/** A time, or a duration before now. */
export function instantOf(flag: string, given: string): Instant {
  if (durationPattern.test(given)) return createClock().now() - durationMs(given);
  const at = /^\d{4}-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isFinite(at)) return at;
  const reason = `${flag} takes a time such as 2026-03-01T09:00:00Z or a duration such as 7d`;
  throw fault('USAGE', { reason: `${reason}, not "${given}"`, help: 'surety --help' });
}
