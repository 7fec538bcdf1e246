/** How well rankings name the labelled causes. All between 0 and 1. */
export interface RankScores {
  readonly cases: number;
  readonly top1: number;
  readonly top3: number;
  /** The mean of the shares within the first 1, 2, 3, 4 and 5. */
  readonly average5: number;
}

/** The place of the labelled cause in each ranking, from 1; null if it is not there. */
export function scoreCases(places: readonly (number | null)[]): RankScores {
  const within = (most: number): number =>
    places.filter((place) => place !== null && place <= most).length / (places.length || 1);
  const average5 = [1, 2, 3, 4, 5].reduce((sum, most) => sum + within(most), 0) / 5;
  return { cases: places.length, top1: within(1), top3: within(3), average5 };
}
