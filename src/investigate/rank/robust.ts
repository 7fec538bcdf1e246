/** What is usual for a series: a centre and a spread that outliers hardly move. */
export interface UsualRange {
  readonly center: number;
  readonly spread: number;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** The interquartile range of a normal distribution with spread 1. */
const normalQuartiles = 1.349;
/** The mean absolute deviation of the same. */
const normalDeviation = 0.798;

/** A change of less than this share of the value is none that anybody has to look at. */
const negligibleShare = 0.01;

/**
 * A series that hardly moves has no quartiles apart. Then its mean deviation counts, and 1 for a
 * series that is always 0, so that a change from a constant has a finite size.
 */
export function usualRange(values: readonly number[]): UsualRange {
  const center = quantile(values, 0.5);
  const quartiles = (quantile(values, 0.75) - quantile(values, 0.25)) / normalQuartiles;
  const deviations = values.reduce((sum, value) => sum + Math.abs(value - center), 0);
  const moved = quartiles || deviations / (values.length || 1) / normalDeviation;
  return { center, spread: Math.max(moved, Math.abs(center) * negligibleShare) || 1 };
}

/** How far a value is from the usual ones, in spreads. */
export function distanceFrom({ center, spread }: UsualRange, value: number): number {
  return Math.abs(value - center) / spread;
}
