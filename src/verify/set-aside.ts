import { limits } from '../kernel/index.ts';
import type { Dispute } from './disputes.ts';
import type { Verdict } from './verdict.ts';

/** Pure: what is disputed is still told, and fails nothing. */
export function setAside<Whole extends Verdict>(
  verdict: Whole,
  disputes: readonly Dispute[],
): Whole {
  const byFinding = new Map(disputes.map((dispute) => [dispute.finding, dispute]));
  const aside = verdict.findings.filter(({ id }) => byFinding.has(id));
  if (aside.length === 0) return verdict;
  const findings = verdict.findings.filter(({ id }) => !byFinding.has(id));
  const used = [...new Set(aside.map(({ id }) => byFinding.get(id) as Dispute))];
  const isCleared = verdict.verdict === 'fail' && findings.length === 0;
  return {
    ...verdict,
    ...(isCleared ? { verdict: 'pass', reason: clearedReason(aside.length) } : {}),
    findings,
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
