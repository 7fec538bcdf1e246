import type { Clock } from '../../kernel/index.ts';
import type { TaskCommandDeps } from '../tasks/index.ts';
import type { JoinRow } from './api-schema.ts';
import { findJoin } from './commands.ts';
import { joinWakes, settleJoin } from './settle-join.ts';

export interface JoinWaitDeps extends TaskCommandDeps {
  readonly clock: Clock;
}

/** Evidence, a deadline and another process on the same ledger are found by looking again. */
const lookAgainMs = 500;

/** The join when it is settled, or as it is when the time is over. */
export async function waitForJoin(
  join: string,
  waitMs: number,
  deps: JoinWaitDeps,
): Promise<JoinRow> {
  const until = deps.clock.now() + waitMs;
  for (;;) {
    await settleJoin(join, deps);
    const row = await findJoin(join, deps);
    const leftMs = until - deps.clock.now();
    if (row.state !== 'waiting' || leftMs <= 0) return row;
    await joinWakes.wait(join, Math.min(leftMs, lookAgainMs));
  }
}
