/**
 * The same request on both versions, one right after the other. The order of each pair is random:
 * that alone makes the sign of a difference a fair coin for equal versions, however the machine
 * drifts.
 */
export interface Pair {
  readonly control: number;
  readonly candidate: number;
}

/** The pairs that one fresh process of each version served, in order. */
export type Start = readonly Pair[];

/** Neither missing nor impossible. */
export function isMeasured({ control, candidate }: Pair): boolean {
  return Number.isFinite(control) && Number.isFinite(candidate) && control >= 0 && candidate >= 0;
}

/** `floor` keeps 0.1 against 0 from being infinitely worse. */
export function logRatio({ control, candidate }: Pair, floor: number): number {
  return Math.log((candidate + floor) / (control + floor));
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
