import { type Instant, isLive, type Lease } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import { lockResource, type SlotRow, slotKey } from '../slots/index.ts';
import { isTaskLive, type TaskRow, taskKey } from '../tasks/index.ts';
import type { LockRow } from './lock-row.ts';

/** A holder whose lease has not ended, with its lease. */
export interface LiveHolder {
  readonly owner: string;
  readonly lease: Lease;
  readonly unclaimedMs?: number;
}

/** Holders whose lease and task have not ended. */
export function liveHolders(row: LockRow, rows: ReadRows, now: Instant): LiveHolder[] {
  const leases = rows.get<SlotRow>(slotKey(lockResource(row.lock)))?.leases ?? [];
  return row.holders.flatMap(({ fence, ...holder }) => {
    const lease = leases.find((one) => one.fence === fence);
    const isThere = lease && isLive(lease, now) && isOwnerLive(holder.owner, rows, now);
    return isThere ? [{ ...holder, lease }] : [];
  });
}

/** An agent stays; a task ends. */
export function isOwnerLive(owner: string, rows: ReadRows, now: Instant): boolean {
  if (!owner.startsWith('task_')) return true;
  const row = rows.get<TaskRow>(taskKey(owner));
  return row !== undefined && isTaskLive(row, now);
}
