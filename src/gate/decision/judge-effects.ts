import type { RuleFinding } from '../api-schema.ts';
import { judgeCoding, readCodingCall } from '../coding/index.ts';
import type { DecisionInput } from './question.ts';

/** Rules about the effects of a coding agent's call: those that deny it, and those that hold it. */
export function judgeEffects({ contract, policy, arguments: given }: DecisionInput): {
  readonly denials: readonly RuleFinding[];
  readonly holds: readonly RuleFinding[];
} {
  if (!contract?.coding || !policy) return { denials: [], holds: [] };
  const findings = judgeCoding(readCodingCall(given), policy.coding).map(
    ({ rule, ...ruling }): RuleFinding => ({ rule: `coding/${rule}`, ...ruling }),
  );
  return {
    denials: findings.filter(({ verdict }) => verdict === 'deny'),
    holds: findings.filter(({ verdict }) => verdict === 'hold'),
  };
}
