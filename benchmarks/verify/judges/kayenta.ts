import type { Opinion } from '../contender.ts';
import { mannWhitney } from '../mann-whitney.ts';

/** One metric of both versions, point by point; a point without data is null. */
export interface Metric {
  readonly name: string;
  /** Metrics of one group share its weight. */
  readonly group: string;
  readonly control: readonly (number | null)[];
  readonly canary: readonly (number | null)[];
  /** What a point without data means: nothing, or none of what is counted. */
  readonly noData: 'remove' | 'zero';
}

const passScore = 75;
const marginalScore = 50;

/** As published: each metric passes or does not, groups weigh the same, the sum decides. */
export function kayentaScore(metrics: readonly Metric[]): number | null {
  const groups = Map.groupBy(metrics, ({ group }) => group);
  const scores = [...groups.values()].map(groupScore).filter((score) => score !== null);
  if (scores.length === 0) return null;
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** No data at all is no opinion. */
export function kayentaOpinion(metrics: readonly Metric[]): Opinion {
  const score = kayentaScore(metrics);
  if (score === null) return 'inconclusive';
  if (score >= passScore) return 'pass';
  return score >= marginalScore ? 'inconclusive' : 'fail';
}

/** Metrics without data are left out of the score. */
function groupScore(metrics: readonly Metric[]): number | null {
  const judged = metrics.map(isGood).filter((good) => good !== null);
  if (judged.length === 0) return null;
  return (100 * judged.filter((good) => good).length) / judged.length;
}

function isGood({ control, canary, noData }: Metric): boolean | null {
  const [before, after] = [filled(control, noData), filled(canary, noData)];
  const length = Math.min(before.length, after.length);
  if (length === 0) return null;
  const pairs = before.slice(0, length).map((value, index) => ({
    control: value,
    candidate: after[index] as number,
  }));
  return mannWhitney.judge([[pairs]], 'measured')[0] === 'pass';
}

function filled(points: readonly (number | null)[], noData: Metric['noData']): number[] {
  return points.flatMap((point) => point ?? (noData === 'zero' ? 0 : []));
}
