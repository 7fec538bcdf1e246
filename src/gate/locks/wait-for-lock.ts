import type { Actor, Clock } from '../../kernel/index.ts';
import type { TaskCommandDeps } from '../tasks/index.ts';
import type { LockAnswer, LockTicket } from './api-schema.ts';
import { holding, waiting } from './commands.ts';
import { lockWakes, takeTurn } from './take-turn.ts';

export interface LockWaitDeps extends Pick<TaskCommandDeps, 'ledger'> {
  readonly clock: Clock;
}

/** A lease that ends, or another process on the same ledger, is found by looking again. */
const lookAgainMs = 500;

/** The answer when the lock is held, or as things are when the time is over. */
export async function waitForLock(
  owner: Actor | string,
  { lock, ticket }: LockTicket,
  waitMs: number,
  deps: LockWaitDeps,
): Promise<LockAnswer> {
  const until = deps.clock.now() + waitMs;
  for (;;) {
    const turn = await takeTurn(lock, deps.ledger);
    const held = turn.holders.find((holder) => holder.owner === owner);
    if (held) return holding(lock, held.lease, turn);
    const answer = waiting(lock, ticket, turn);
    if (answer.position === 0) return { ...answer, state: 'gone', ticket: null, position: null };
    const leftMs = until - deps.clock.now();
    if (leftMs <= 0) return answer;
    await lockWakes.wait(`${lock} ${owner}`, Math.min(leftMs, lookAgainMs));
  }
}
