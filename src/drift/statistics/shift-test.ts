import { driftParameters } from '../parameters.ts';
import {
  type Counts,
  chanceDivergence,
  freedomOf,
  jensenShannon,
  likelihoodRatio,
  totalOf,
} from './divergence.ts';
import { chiSquareTail, gammaTail } from './gamma-tail.ts';
import { type DrawBelow, seededDraws } from './seeded-random.ts';

/** What comparing a recent window with the reference gave. */
export interface ShiftTest {
  /** Jensen–Shannon divergence in [0, 1], less what samples of these sizes show by chance. */
  readonly divergence: number;
  /** The probability of such a difference between two samples of the same behaviour. */
  readonly p: number;
  readonly isSignificant: boolean;
}

/**
 * Whether two samples of behaviour differ by more than chance. The chi-square approximation screens
 * cheaply; a permutation test confirms, because the approximation is wrong for rare categories.
 */
export function testShift(reference: Counts, recent: Counts, seed: number): ShiftTest {
  const { falseAlarmsMax } = driftParameters;
  const screened = screenShift(reference, recent);
  if (screened.p > falseAlarmsMax) return { ...screened, isSignificant: false };
  const p = Math.max(screened.p, permutationTail(reference, recent, seededDraws(seed)));
  return { ...screened, p, isSignificant: p <= falseAlarmsMax };
}

/** The divergence and its approximate probability, without permutations. */
export function screenShift(reference: Counts, recent: Counts): Omit<ShiftTest, 'isSignificant'> {
  const excess = jensenShannon(reference, recent) - chanceDivergence(reference, recent);
  const p = chiSquareTail(freedomOf(reference, recent), likelihoodRatio(reference, recent));
  return { divergence: Math.max(0, excess), p };
}

/**
 * The tail of the statistic among random divisions of the pooled actions into groups of the same
 * sizes. Tails far below 1 / permutations follow a gamma distribution with the same mean and
 * variance (a Pearson type III fit, as usual for permutation tests).
 */
function permutationTail(reference: Counts, recent: Counts, draw: DrawBelow): number {
  const observed = likelihoodRatio(reference, recent);
  const labels = reference.flatMap((count, index) => {
    return new Array<number>(count + (recent[index] ?? 0)).fill(index);
  });
  const size = totalOf(recent);
  let [sum, squares, atLeast] = [0, 0, 0];
  for (let round = 0; round < driftParameters.permutations; round++) {
    const statistic = statisticOfShuffle(labels, size, reference, recent, draw);
    sum += statistic;
    squares += statistic * statistic;
    if (statistic >= observed) atLeast++;
  }
  if (atLeast > 0) return (atLeast + 1) / (driftParameters.permutations + 1);
  const mean = sum / driftParameters.permutations;
  const variance = squares / driftParameters.permutations - mean * mean;
  return variance > 0 ? gammaTail((mean * mean) / variance, (observed * mean) / variance) : 1;
}

/** Draws the recent group by a partial shuffle; the others are the reference. */
function statisticOfShuffle(
  labels: number[],
  size: number,
  reference: Counts,
  recent: Counts,
  draw: DrawBelow,
): number {
  const drawn = new Array<number>(reference.length).fill(0);
  for (let index = 0; index < size; index++) {
    const other = index + draw(labels.length - index);
    const label = labels[other] as number;
    labels[other] = labels[index] as number;
    labels[index] = label;
    drawn[label] = (drawn[label] as number) + 1;
  }
  const rest = reference.map((count, index) => {
    return count + (recent[index] ?? 0) - (drawn[index] as number);
  });
  return likelihoodRatio(rest, drawn);
}
