import { Wakes } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { lockResource, slotKey } from '../slots/index.ts';
import { lockKey } from './lock-row.ts';
import { type LockTurn, planTurn, type TurnChange } from './plan-turn.ts';

/** Wakes those who wait for a lock in this process, by the owner that has got it. */
export const lockWakes: Wakes = new Wakes();

/** Lets go who is over, and gives the lock to whoever is next. */
export async function takeTurn(
  lock: string,
  ledger: Ledger,
  leaving: TurnChange = {},
): Promise<LockTurn> {
  const turn = await ledger.transact<LockTurn>({
    keys: turnKeys(lock),
    decide: (rows, now) => {
      const planned = planTurn(lock, rows, now, leaving);
      return { drafts: planned.drafts, result: () => planned };
    },
  });
  wakeHolders(
    lock,
    turn.holders.map(({ owner }) => owner),
  );
  return turn;
}

export const turnKeys = (lock: string): string[] => [lockKey(lock), slotKey(lockResource(lock))];

export function wakeHolders(lock: string, owners: readonly string[]): void {
  for (const owner of owners) lockWakes.wake(`${lock} ${owner}`);
}
