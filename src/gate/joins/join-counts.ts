import type { Rows } from '../../ledger/index.ts';
import type { JoinRow } from './api-schema.ts';
import { joinCountKey } from './join-row.ts';

/** What has become of the children of a join, in numbers. */
export type JoinCounts = {
  readonly needed: number;
  readonly children: number;
  readonly graded: boolean;
  readonly isSettled: boolean;
  readonly closed: number;
  /** Without those whose place another task has taken. */
  readonly cancelled: number;
  readonly accepted: number;
  readonly refused: number;
};

export function newCounts(join: Pick<JoinRow, 'needed' | 'children' | 'graded'>): JoinCounts {
  const { needed, children, graded } = join;
  const none = { closed: 0, cancelled: 0, accepted: 0, refused: 0 };
  return { needed, children: children.length, graded, isSettled: false, ...none };
}

type Change = Partial<Pick<JoinCounts, 'closed' | 'cancelled' | 'accepted' | 'refused'>>;

export function countIn(rows: Rows, join: string, change: Change): void {
  const counts = rows.get<JoinCounts>(joinCountKey(join));
  if (!counts) return;
  const { closed = 0, cancelled = 0, accepted = 0, refused = 0 } = change;
  rows.set(joinCountKey(join), {
    ...counts,
    closed: counts.closed + closed,
    cancelled: counts.cancelled + cancelled,
    accepted: counts.accepted + accepted,
    refused: counts.refused + refused,
  });
}

/**
 * Whether a look at all children could find that the join is met or missed. Evidence is not
 * counted, so a join that demands some may still wait.
 */
export function mayBeSettled(counts: JoinCounts | undefined): boolean {
  if (!counts) return true;
  const { needed, children, graded, isSettled, closed, cancelled, accepted, refused } = counts;
  if (isSettled) return false;
  const counted = graded ? accepted : closed - refused;
  return counted >= needed || cancelled + refused > children - needed;
}
