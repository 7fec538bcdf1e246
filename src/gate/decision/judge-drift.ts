import { type DriftLevel, type DriftLevelRow, driftLevelKey } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import type { CompiledDriftLevel } from '../language/index.ts';
import { type DecisionInput, deny, hasEffect } from './question.ts';

/** The level of drift that a decision read, and what the policy demands at that level. */
export interface DriftReaction extends CompiledDriftLevel {
  readonly level: Exclude<DriftLevel, 'normal'>;
  readonly reasons: readonly string[];
}

/** The row with the level, if the policy of the agent asks for it. */
export function driftKeyOf({ actor, agent }: DecisionInput): string | undefined {
  return agent?.drift ? driftLevelKey(actor) : undefined;
}

/** Null if the agent behaves as usual, or if drift changes nothing for it. */
export function driftReaction(question: DecisionInput, rows: ReadRows): DriftReaction | null {
  const key = driftKeyOf(question);
  const row = key === undefined ? undefined : rows.get<DriftLevelRow>(key);
  if (!row || row.level === 'normal' || !question.agent?.drift) return null;
  return { ...question.agent.drift[row.level], level: row.level, reasons: row.reasons };
}

/** Whether a person may have to approve calls at some level. */
export function mayAskForDrift({ agent }: DecisionInput): boolean {
  return agent?.drift ? Object.values(agent.drift).some(asks) : false;
}

const asks = ({ response }: CompiledDriftLevel): boolean => response === 'approval';

/** An agent that drifts may be paused or limited to reading, and its answers get constraints. */
export function judgeDrift(question: DecisionInput, drift: DriftReaction | null): RuleFinding[] {
  if (!drift) return [];
  const said = drift.constraints.map((constraint): RuleFinding => {
    const remedy = 'Keep to this from now on.';
    return { rule: 'drift.constraint', verdict: 'warn', reason: constraint, remedy };
  });
  const { response } = drift;
  const applies = response === 'pause' || (response === 'read-only' && hasEffect(question));
  return applies
    ? [deny(`drift.${response}`, describeDrift(drift), remedies[response]), ...said]
    : said;
}

const review = 'A person looks at "surety drift" and runs "surety drift accept" if it is right.';

const remedies = {
  pause: `Stop and wait. ${review}`,
  'read-only': `Use only tools that read. ${review}`,
} as const;

/** Why drift has an effect on this call. */
export function describeDrift({ level, reasons }: DriftReaction): string {
  return `the behaviour of this agent has drifted (${[level, ...reasons].join('; ')})`;
}
