import type { Instant } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { ShownLock } from './api-schema.ts';
import { liveHolders } from './live-holders.ts';
import { type LockRow, lockPrefix, readWaiter } from './lock-row.ts';
import { takeTurn } from './take-turn.ts';

/** All locks that somebody holds or waits for, with the queue in its order. */
export async function listLocks(ledger: Ledger, now: Instant): Promise<ShownLock[]> {
  const shown: ShownLock[] = [];
  for await (const { value: row } of ledger.rows<LockRow>(lockPrefix)) {
    const holders = await ledger.transact({
      keys: [],
      decide: (rows) => {
        const live = liveHolders(row, rows, now);
        return { drafts: [], result: () => live };
      },
    });
    shown.push({
      lock: row.lock,
      slots: row.slots,
      holders: holders.map(({ owner, lease: { fence, expiresAt } }) => ({
        owner,
        fence,
        expiresAt,
      })),
      queue: row.queue.map(readWaiter).map(({ owner, since }, index) => {
        return { position: index + 1, owner, since };
      }),
    });
  }
  return shown;
}

/** Passes on locks whose holder or first waiter is over, although nobody looks. */
export async function passOnLocks(
  ledger: Ledger,
  onError: (error: unknown) => void,
): Promise<void> {
  const names: string[] = [];
  for await (const { value } of ledger.rows<LockRow>(lockPrefix)) names.push(value.lock);
  for (const lock of names) await takeTurn(lock, ledger).catch(onError);
}
