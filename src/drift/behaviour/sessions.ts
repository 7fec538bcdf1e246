import type { Instant } from '../../kernel/index.ts';
import { driftParameters } from '../parameters.ts';
import type { Behaviour } from './state.ts';

/**
 * A session is a task, or without one a series of steps without a long pause. It counts when it
 * begins, and once more as broken at its first hard violation.
 */
export function addSessionStep(
  now: Behaviour['now'],
  at: Instant,
  { isTask, isNew, isBroken, breaks }: SessionStep,
): void {
  const begins = isTask ? isNew : isPause(now, at);
  const wasBroken = isTask ? isBroken : now.isBroken && !begins;
  if (begins) now.sessions++;
  if (breaks && !wasBroken) now.brokenSessions++;
  if (isTask) return;
  now.lastAt = at;
  now.isBroken = wasBroken || breaks;
}

export interface SessionStep {
  readonly isTask: boolean;
  /** Of a task: whether this is its first step, and whether it was broken before. */
  readonly isNew: boolean;
  readonly isBroken: boolean;
  /** Whether this step breaks a hard rule. */
  readonly breaks: boolean;
}

function isPause({ sessions, lastAt }: Behaviour['now'], at: Instant): boolean {
  return sessions === 0 || at - lastAt > driftParameters.sessionPauseMs;
}
