/**
 * The same request served by both versions, one right after the other. Which goes first is drawn by
 * lot for every pair: that alone makes the sign of a difference a fair coin where the versions are
 * the same, however slowly the machine wanders.
 */
export interface Pair {
  readonly control: number;
  readonly candidate: number;
}

/** The pairs that one fresh process of each version served, in their order. */
export type Start = readonly Pair[];

/** No measurement: neither a number that was not measured nor one that can't be. */
export function isMeasured({ control, candidate }: Pair): boolean {
  return Number.isFinite(control) && Number.isFinite(candidate) && control >= 0 && candidate >= 0;
}

/** `floor` can't be told from nothing: it keeps 0.1 against 0 from being infinitely worse. */
export function logRatio({ control, candidate }: Pair, floor: number): number {
  return Math.log((candidate + floor) / (control + floor));
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
