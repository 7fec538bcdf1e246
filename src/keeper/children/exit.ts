import type { Instant } from '../../kernel/index.ts';

/** How a child ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly at: Instant;
  /** `lost`: it vanished while no keeper observed it. */
  readonly reason: 'exited' | 'stopped' | 'lease-ended' | 'lost' | 'over-memory' | 'over-processes';
}
