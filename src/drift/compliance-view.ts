import { shareInterval } from '../kernel/index.ts';
import { type Ledger, readRow } from '../ledger/index.ts';
import type { ComplianceView, TaskComplianceView } from './api-schema.ts';
import {
  type BehaviourPastRow,
  type BehaviourRow,
  type ComplianceTotals,
  taskComplianceKey,
} from './behaviour/behaviour-row.ts';
import { addCounts, countLetters, nameOfCategory } from './behaviour/categories.ts';
import { countsOfContract } from './behaviour/compliance.ts';
import { readBehaviour } from './drift-view.ts';
import { driftParameters } from './parameters.ts';

export async function viewCompliance(
  ledger: Ledger,
  agent: string,
): Promise<ComplianceView | undefined> {
  const behaviour = await readBehaviour(ledger, agent);
  return behaviour && complianceOf(agent, behaviour.now, behaviour.past);
}

/** (p, δ, k)-satisfaction and what it is made of; docs/drift.md has the formulas. */
export function complianceOf(
  agent: string,
  now: BehaviourRow,
  past: BehaviourPastRow,
): ComplianceView {
  const { totals, sessions, brokenSessions } = now;
  const { steps, hard, prevented, soft, episodes, unrecovered } = totals;
  const cleanSessions = sessions - brokenSessions;
  const { low, high } = shareInterval(cleanSessions, sessions);
  const softShortfall = part(soft, steps);
  const recovered = episodes === 0 ? 1 : 1 - unrecovered / episodes;
  return {
    agent,
    steps,
    hard,
    prevented,
    soft,
    compliance: complianceIn(totals),
    sessions,
    cleanSessions,
    p: sessions === 0 ? 1 : rounded(cleanSessions / sessions),
    pLow: rounded(low),
    pHigh: rounded(high),
    softShortfall,
    episodes,
    unrecovered,
    satisfies: satisfaction({ low, high, softShortfall, unrecovered }),
    reliability: rounded(low * (1 - softShortfall) * recovered),
    withoutContracts: { compliance: 1, executed: hard + prevented },
    contracts: contractsOf(now, past),
  };
}

interface Satisfied {
  readonly low: number;
  readonly high: number;
  readonly softShortfall: number;
  readonly unrecovered: number;
}

/** Undecided while the interval of p includes the demanded value. */
function satisfaction({
  low,
  high,
  softShortfall,
  unrecovered,
}: Satisfied): ComplianceView['satisfies'] {
  const { satisfiedShare, softShortfallMax } = driftParameters;
  if (high < satisfiedShare || softShortfall > softShortfallMax || unrecovered > 0) return 'no';
  return low >= satisfiedShare ? 'yes' : 'undecided';
}

type Counted = Pick<ComplianceTotals, 'steps' | 'hard' | 'prevented' | 'soft'>;

function complianceIn({ steps, hard, prevented, soft }: Counted): number {
  return rounded(Math.max(0, 1 - part(hard + prevented + soft, steps)));
}

/** Per tool: what it was proposed for, and how often a rule of its contract was broken. */
function contractsOf(now: BehaviourRow, past: BehaviourPastRow): ComplianceView['contracts'] {
  const { names } = past.dimensions.tools;
  const proposed = addCounts(past.toolTotals, countLetters([now.open.tools]));
  const tools = proposed.flatMap((steps, index) => {
    return steps > 0 ? [{ tool: nameOfCategory(names, index), steps }] : [];
  });
  return tools.map(({ tool, steps }) => {
    const [hard, prevented, soft] = countsOfContract(past.contracts, tool);
    const counted = { steps, hard, prevented, soft };
    return { tool, ...counted, compliance: complianceIn(counted) };
  });
}

export async function viewTaskCompliance(
  ledger: Ledger,
  task: string,
): Promise<TaskComplianceView | undefined> {
  const totals = await readRow<ComplianceTotals>(ledger, taskComplianceKey(task));
  if (!totals) return undefined;
  const { steps, hard, prevented, soft, episodes, unrecovered } = totals;
  const counted = { steps, hard, prevented, soft };
  return { task, ...counted, compliance: complianceIn(counted), episodes, unrecovered };
}

const part = (count: number, all: number): number =>
  all === 0 ? 0 : rounded(Math.min(1, count / all));

const rounded = (value: number): number => Number(value.toFixed(4));
