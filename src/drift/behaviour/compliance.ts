import { driftParameters } from '../parameters.ts';
import type { BehaviourPastRow, ComplianceTotals } from './behaviour-row.ts';
import type { StepMark } from './violations.ts';

/** The totals after one more step. */
export function addStep(totals: ComplianceTotals, mark: StepMark): ComplianceTotals {
  const { steps, hard, prevented } = totals;
  const counted = {
    steps: steps + 1,
    hard: mark === 'H' ? hard + 1 : hard,
    prevented: mark === 'h' ? prevented + 1 : prevented,
  };
  return { ...counted, ...softAfter(totals, mark) };
}

/**
 * Soft violations in a row are one episode. The first step that breaks no soft rule ends it. A
 * denied call ends nothing: it did not happen.
 */
function softAfter(
  { soft, episodes, unrecovered, softInRow }: ComplianceTotals,
  mark: StepMark,
): Pick<ComplianceTotals, 'soft' | 'episodes' | 'unrecovered' | 'softInRow'> {
  if (mark === 'h') return { soft, episodes, unrecovered, softInRow };
  if (mark !== 's') return { soft, episodes, unrecovered, softInRow: 0 };
  return {
    soft: soft + 1,
    episodes: softInRow === 0 ? episodes + 1 : episodes,
    // Counted once, at the first step that is too late.
    unrecovered: softInRow === driftParameters.recoverySteps ? unrecovered + 1 : unrecovered,
    softInRow: softInRow + 1,
  };
}

/** Zeros for a tool without a violation, also if it is named like a property of all objects. */
export function countsOfContract(
  contracts: BehaviourPastRow['contracts'],
  tool: string,
): readonly [number, number, number] {
  return (Object.hasOwn(contracts, tool) ? contracts[tool] : undefined) ?? [0, 0, 0];
}

const markPlaces: Readonly<Record<string, number>> = { H: 0, h: 1, s: 2 };

/** Counts a violation of a contract; clean steps are counted with their block. */
export function addToContract(
  contracts: BehaviourPastRow['contracts'],
  tool: string,
  mark: StepMark,
): BehaviourPastRow['contracts'] {
  const place = markPlaces[mark];
  if (place === undefined) return contracts;
  const [hard, prevented, soft] = countsOfContract(contracts, tool);
  const counts = [hard, prevented, soft] as const;
  const next = counts.with(place, (counts[place] as number) + 1);
  return { ...contracts, [tool]: next as unknown as readonly [number, number, number] };
}
