import { limits } from '../../kernel/index.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { Dispute } from './disputes.ts';

/** Pure: what is disputed was judged by nothing, and is still told. */
export function setAside<Whole extends Verdict>(
  verdict: Whole,
  ids: readonly string[],
  disputes: readonly Dispute[],
): Whole {
  const used = disputes.filter(({ finding }) => ids.includes(finding));
  if (used.length === 0) return verdict;
  return {
    ...verdict,
    ...(verdict.verdict === 'pass' ? clearedBy(used.length) : {}),
    disputed: used.slice(0, limits.verdictDisputesMax),
    notices: [...used.map(tellDispute), ...verdict.notices],
  };
}

/** A pass ends with any one of them: where not all can be kept, it would outlive some. */
function clearedBy(count: number): Pick<Verdict, 'verdict' | 'reason'> {
  const most = limits.verdictDisputesMax;
  return count > most
    ? { verdict: 'inconclusive', reason: `it would rest on ${count} disputes, more than ${most}` }
    : {
        verdict: 'pass',
        reason: `all that was found (${count}) is disputed, and fails nothing until then`,
      };
}

function tellDispute({ finding, owner, reason, until }: Dispute): string {
  const day = new Date(until).toISOString().slice(0, 10);
  return `${finding} is disputed by ${owner} until ${day}: ${reason}`;
}
