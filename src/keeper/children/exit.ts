import type { Instant } from '../../kernel/index.ts';

export const exitReasons = [
  'exited',
  'stopped',
  'lease-ended',
  'lost',
  'rebooted',
  'over-memory',
  'over-processes',
  'over-disk',
] as const;

/** How a child ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly at: Instant;
  /** `lost`: it ended while no keeper ran; `rebooted`: the machine or container was restarted. */
  readonly reason: (typeof exitReasons)[number];
}
