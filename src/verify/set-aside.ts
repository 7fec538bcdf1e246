import { limits } from '../kernel/index.ts';
import type { Dispute } from './disputes.ts';
import type { Verdict } from './verdict.ts';

/** Pure: what is disputed was judged by nothing, and is still told. */
export function setAside<Whole extends Verdict>(
  verdict: Whole,
  ids: readonly string[],
  disputes: readonly Dispute[],
): Whole {
  const used = disputes.filter(({ finding }) => ids.includes(finding));
  if (used.length === 0) return verdict;
  const isCleared = verdict.verdict === 'pass';
  return {
    ...verdict,
    ...(isCleared ? { reason: clearedReason(used.length) } : {}),
    disputed: used.slice(0, limits.verdictDisputesMax),
    notices: [...used.map(tellDispute), ...verdict.notices],
  };
}

function clearedReason(count: number): string {
  return `all that was found (${count}) is disputed, and fails nothing until then`;
}

function tellDispute({ finding, owner, reason, until }: Dispute): string {
  const day = new Date(until).toISOString().slice(0, 10);
  return `${finding} is disputed by ${owner} until ${day}: ${reason}`;
}
