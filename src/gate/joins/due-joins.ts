import { type OpenJoinRow, openJoinPrefix } from './join-row.ts';
import { settleJoin } from './settle-join.ts';
import type { JoinWaitDeps } from './wait-for-join.ts';

/**
 * Settles joins whose deadline has passed, and those that evidence may have met. A first look also
 * takes those that a killed process left between a child's end and its join.
 */
export async function settleDueJoins(
  deps: JoinWaitDeps,
  isFirst: boolean,
  onError: (error: unknown) => void,
): Promise<void> {
  const now = deps.clock.now();
  const due: string[] = [];
  for await (const { key, value } of deps.ledger.rows<OpenJoinRow>(openJoinPrefix)) {
    const isOver = value.expiresAt !== null && now >= value.expiresAt;
    if (isFirst || isOver || value.needsEvidence) due.push(key.slice(openJoinPrefix.length));
  }
  for (const join of due) await settleJoin(join, deps).catch(onError);
}
