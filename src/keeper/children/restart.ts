import type { Instant } from '../../kernel/index.ts';
import { keeperLimits } from '../limits.ts';
import { type Field, objectOf, unlessGiven, wholeNumber, yesOrNo } from '../protocol/fields.ts';
import type { Exit } from './exit.ts';

/** How a child is restarted that ended without being stopped. */
export interface Restart {
  /** Before the first time; twice as long each time after. */
  readonly backoffMs: number;
  /** How often in a row, before it is given up. */
  readonly most: number;
  /** Whether one that exits with 0 leaves on purpose and stays away. */
  readonly onlyFailed?: boolean;
}

export const restart: Field<Restart> = objectOf({
  backoffMs: wholeNumber(1, keeperLimits.restartBackoffMsMax),
  most: wholeNumber(1, keeperLimits.restartsMax),
  onlyFailed: unlessGiven(false, yesOrNo),
});

/** As much of a child as is needed to decide. */
export interface Life {
  readonly restart: Restart | null;
  /** How often in a row it was started again. */
  readonly restarts: number;
  readonly startedAt: Instant;
}

/** When it is started again and the how-manieth time that is; undefined is "not at all". */
export function nextStart(
  { restart, restarts, startedAt }: Life,
  exit: Exit,
): { readonly at: Instant; readonly restarts: number } | undefined {
  if (!restart || isIntended(restart, exit)) return undefined;
  // One that ran well for a while is not in a loop.
  const inRow = exit.at - startedAt >= keeperLimits.restartCalmMs ? 0 : restarts;
  if (inRow >= restart.most) return undefined;
  const waitMs = Math.min(restart.backoffMs * 2 ** inRow, keeperLimits.restartBackoffMsMax);
  return { at: exit.at + waitMs, restarts: inRow + 1 };
}

/** Whether somebody wanted the end of a child, or it left on purpose. */
export function isIntended({ onlyFailed }: Restart, { reason, code }: Exit): boolean {
  return reason === 'stopped' || reason === 'lease-ended' || (onlyFailed === true && code === 0);
}
