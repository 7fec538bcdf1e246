import type { Instant } from './clock.ts';

/** How far the recent behaviour of an agent is from its reference behaviour. */
export const driftLevels = ['normal', 'watch', 'warn', 'critical'] as const;

export type DriftLevel = (typeof driftLevels)[number];

/**
 * The row that `drift/` writes and `gate/` reads: neither imports the other. Absent while the level
 * is normal and was never anything else.
 */
export type DriftLevelRow = {
  readonly level: DriftLevel;
  /** When the level was reached. */
  readonly at: Instant;
  /** The signals that caused it, as people read them. */
  readonly reasons: readonly string[];
};

/** Only agents drift: undefined for people and for Surety itself. */
export function driftLevelKey(actor: string): string | undefined {
  return actor.startsWith('agent:') ? `drift-level/${actor}` : undefined;
}
