import { type Actor, type Clock, fault } from '../../kernel/index.ts';
import { readRow } from '../../ledger/index.ts';
import { recordRefusal, type TaskCommandDeps } from '../tasks/index.ts';
import type { LockAnswer, LockTicket } from './api-schema.ts';
import { checkActsFor, holding, waiting } from './commands.ts';
import { type LockRow, lockKey, readWaiter } from './lock-row.ts';
import { lockWakes, takeTurn } from './take-turn.ts';

export interface LockWaitDeps extends Pick<TaskCommandDeps, 'ledger'> {
  readonly clock: Clock;
}

/** A place in a queue, and the task that waits if it is one. */
export interface LockPlace extends LockTicket {
  readonly task?: string | undefined;
}

export interface LockPatience {
  readonly waitMs: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** A lease that ends, or another process on the same ledger, is found by looking again. */
const lookAgainMs = 500;

/** The answer when the lock is held, or as things are when the time is over. */
export async function waitForLock(
  actor: Actor,
  place: LockPlace,
  patience: LockPatience,
  deps: LockWaitDeps,
): Promise<LockAnswer> {
  const owner = await recordRefusal(actor, 'lock.acquire', deps, () =>
    findOwner(actor, place, deps),
  );
  const name = `${place.lock} ${owner}`;
  const stop = (): void => lockWakes.wake(name);
  patience.signal?.addEventListener('abort', stop);
  try {
    return await look(owner, place, patience, deps);
  } finally {
    patience.signal?.removeEventListener('abort', stop);
  }
}

async function look(
  owner: string,
  { lock, ticket }: LockPlace,
  { waitMs, signal }: LockPatience,
  deps: LockWaitDeps,
): Promise<LockAnswer> {
  const until = deps.clock.now() + waitMs;
  for (;;) {
    if (signal?.aborted) return leave(owner, { lock, ticket }, deps);
    const turn = await takeTurn(lock, deps.ledger, { claimant: owner });
    const held = turn.holders.find((holder) => holder.owner === owner);
    if (held) return holding(lock, held.lease, turn);
    const answer = waiting(lock, ticket, turn);
    if (answer.position === 0) return { ...answer, state: 'gone', ticket: null, position: null };
    const leftMs = until - deps.clock.now();
    if (leftMs <= 0) return answer;
    await lockWakes.wait(`${lock} ${owner}`, Math.min(leftMs, lookAgainMs));
  }
}

/** Gives up the place, and the lock if it came meanwhile and nobody has claimed it. */
async function leave(
  owner: string,
  { lock, ticket }: LockTicket,
  { ledger }: LockWaitDeps,
): Promise<LockAnswer> {
  const turn = await takeTurn(lock, ledger, { ticket });
  const given = turn.holders.find((holder) => holder.owner === owner);
  if (given?.unclaimedMs !== undefined) await takeTurn(lock, ledger, { fence: given.lease.fence });
  throw fault('LOCK_LEFT', { lock });
}

/** Whose place it is: a ticket in the queue says so, and one that has left it says nothing. */
async function findOwner(
  actor: Actor,
  { lock, ticket, task }: LockPlace,
  deps: LockWaitDeps,
): Promise<string> {
  const row = await readRow<LockRow>(deps.ledger, lockKey(lock));
  const waiter = row?.queue.map(readWaiter).find((one) => one.ticket === ticket);
  const owner = waiter?.owner ?? task ?? actor;
  await checkActsFor(actor, owner, lock, deps);
  return owner;
}
