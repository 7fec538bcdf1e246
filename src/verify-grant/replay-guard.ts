import { grantLimits } from './limits.ts';

/** Remembers which grants were used. Another implementation may keep them in a database. */
export interface ReplayGuard {
  /** Whether it is the first use; must be decided and remembered in one step. */
  take(use: GrantUse): 'first' | 'used' | 'full';
}

export interface GrantUse {
  readonly id: string;
  /** From then on the grant is refused anyway. */
  readonly untilMs: number;
  readonly nowMs: number;
}

/**
 * In the memory of this process. What could still be replayed is never forgotten: when there is no
 * room, the next grant is refused instead.
 */
export function createReplayGuard(grantsMax: number = grantLimits.seenGrantsMax): ReplayGuard {
  const used = new Map<string, number>();
  let earliestMs = Number.POSITIVE_INFINITY;
  // What ended before was forgotten, and must stay refused when the clock is turned back.
  let forgottenMs = Number.NEGATIVE_INFINITY;

  const forget = (nowMs: number): void => {
    forgottenMs = Math.max(forgottenMs, nowMs);
    earliestMs = Number.POSITIVE_INFINITY;
    for (const [id, untilMs] of used) {
      if (untilMs <= nowMs) used.delete(id);
      else earliestMs = Math.min(earliestMs, untilMs);
    }
  };

  return {
    take({ id, untilMs, nowMs }) {
      if (used.has(id) || untilMs <= forgottenMs) return 'used';
      // Looked through only if something has ended: a flood of grants must not cost more than that.
      if (used.size >= grantsMax && earliestMs <= nowMs) forget(nowMs);
      if (used.size >= grantsMax) return 'full';
      used.set(id, untilMs);
      earliestMs = Math.min(earliestMs, untilMs);
      return 'first';
    },
  };
}
