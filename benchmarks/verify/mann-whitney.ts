import { type Judge, judgeByValues } from './contender.ts';

/** As Kayenta's judge is published: 98 % confidence, a quarter of the shift as tolerance. */
const zOfConfidence = 2.326;
const tolerance = 0.25;

/**
 * A canary is too high when the interval of its shift against the control lies above the tolerance.
 * The interval is that of Hodges and Lehmann, from all differences between the two heaps.
 */
export const mannWhitney: Judge = judgeByValues(
  'Mann–Whitney, as in Kayenta',
  (control, canary) => {
    if (new Set([...control, ...canary]).size <= 1) return false;
    const differences = control
      .flatMap((one) => canary.map((other) => other - one))
      .sort((one, other) => one - other);
    const { low, estimate } = shiftOf(differences, control.length, canary.length);
    return low > tolerance * Math.abs(estimate);
  },
);

function shiftOf(
  differences: readonly number[],
  control: number,
  canary: number,
): { low: number; estimate: number } {
  const spread = Math.sqrt((control * canary * (control + canary + 1)) / 12);
  const rank = Math.floor(differences.length / 2 - zOfConfidence * spread);
  const low = rank < 1 ? Number.NEGATIVE_INFINITY : (differences[rank - 1] ?? 0);
  return { low, estimate: differences[differences.length >> 1] ?? 0 };
}
