import type { Pair } from '../../src/verify/measure/statistics/index.ts';
import type { Judge } from './contender.ts';

interface Vector {
  readonly name: string;
  readonly kind: 'measured' | 'counted';
  readonly pairs: readonly Pair[];
}

const zip = (control: readonly number[], candidate: readonly number[]): Pair[] =>
  control.map((value, index) => ({ control: value, candidate: candidate[index] ?? 0 }));

const zeros = (count: number): number[] => Array<number>(count).fill(0);
const ones = (count: number): number[] => Array<number>(count).fill(1);

/** Published, or made like those: cases that are worse, and that a rank test lets pass. */
const vectors: readonly Vector[] = [
  { name: '0 against 0 1 2 1 0 0', kind: 'counted', pairs: zip(zeros(6), [0, 1, 2, 1, 0, 0]) },
  {
    name: '7 of 10 points 100 times worse',
    kind: 'measured',
    pairs: zip(
      ones(10).map(() => 1_000),
      [...ones(7).map(() => 100_000), ...ones(3).map(() => 1_000)],
    ),
  },
  {
    name: '4 errors in 50 requests',
    kind: 'counted',
    pairs: zip(zeros(50), [...ones(4), ...zeros(46)]),
  },
  {
    name: '1 error in 200 requests',
    kind: 'counted',
    pairs: zip(zeros(200), [...ones(1), ...zeros(199)]),
  },
];

/** Which of them a judge would let pass. */
export function passedVectors(judge: Judge): string[] {
  return vectors
    .filter(({ kind, pairs }) => judge.judge([[pairs]], kind).includes('pass'))
    .map(({ name }) => name);
}

export const vectorCount: number = vectors.length;
