import type { Start } from '../../src/verify/measure/statistics/index.ts';

export type Opinion = 'pass' | 'fail' | 'inconclusive';

/** A way of telling by which of several signals a candidate is worse. */
export interface Judge {
  readonly name: string;
  judge(signals: readonly (readonly Start[])[], kind: 'measured' | 'counted'): Opinion[];
}

/** A judge that looks at each signal by itself, and at the values of both sides as two heaps. */
export function judgeByValues(
  name: string,
  isWorse: (control: readonly number[], candidate: readonly number[]) => boolean,
): Judge {
  return {
    name,
    judge: (signals) =>
      signals.map((starts) => {
        const pairs = starts.flat();
        const [control, candidate] = [
          pairs.map((pair) => pair.control),
          pairs.map((pair) => pair.candidate),
        ];
        return isWorse(control, candidate) ? 'fail' : 'pass';
      }),
  };
}
