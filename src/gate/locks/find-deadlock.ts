import type { Instant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import { liveHolders } from './live-holders.ts';
import { type LockOwnerRow, type LockRow, lockKey, lockOwnerKey } from './lock-row.ts';

/** A holder that cannot go on, and what it holds. */
interface Blocked {
  readonly owner: string;
  readonly holds: string;
}

/**
 * The cycle that would come into being if `owner` waited for `lock`; null if there is none. A
 * semaphore blocks only if all its holders are blocked.
 */
export function findDeadlock(
  owner: string,
  lock: string,
  rows: ReadRows,
  now: Instant,
): string | null {
  const chain = chainTo(owner, lock, { rows, now, visited: new Set() });
  if (!chain) return null;
  const waiting = [owner, ...chain.map((blocked) => blocked.owner)];
  return chain
    .map(({ owner: holder, holds }, index) => {
      return `${waiting[index]} waits for ${holds}, which ${holder} holds`;
    })
    .join('; ');
}

interface Search {
  readonly rows: ReadRows;
  readonly now: Instant;
  readonly visited: Set<string>;
}

function chainTo(requester: string, lock: string, search: Search): Blocked[] | null {
  const { rows, now, visited } = search;
  const row = rows.get<LockRow>(lockKey(lock));
  if (!row) return null;
  const holders = liveHolders(row, rows, now);
  if (holders.length < row.slots) return null;
  let chain: Blocked[] | null = null;
  for (const { owner } of holders) {
    if (owner !== requester && visited.has(owner)) continue;
    visited.add(owner);
    const further = owner === requester ? [] : waitsFor(requester, owner, search);
    if (!further) return null;
    chain ??= [{ owner, holds: lock }, ...further];
  }
  return chain;
}

function waitsFor(requester: string, owner: string, search: Search): Blocked[] | null {
  const waits = search.rows.get<LockOwnerRow>(lockOwnerKey(owner))?.waits ?? [];
  for (const lock of waits) {
    const chain = chainTo(requester, lock, search);
    if (chain) return chain;
  }
  return null;
}
