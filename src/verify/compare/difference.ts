import type { DifferenceFinding, Dispute, FindingEvidence } from '../api-schema.ts';

/** Something that a candidate did and the version before it did not, or the other way round. */
export type Difference = Omit<DifferenceFinding, 'kind' | keyof FindingEvidence> & {
  /** Which one of several that can be there; never told, only what names it. */
  readonly which?: string;
  /** A notice is told, but fails nothing. */
  readonly severity: 'fail' | 'notice';
  /** Set if somebody disputes it; it is then a notice. */
  readonly disputed?: Dispute;
};

/** How sure one is after so many observations of which not one was otherwise. */
export function certaintyOf(observations: number): number {
  return Math.round((1 - 1 / (observations + 2)) * 100) / 100;
}

/** A short part of a comparison: the daemon answers other requests between two of them. */
export type ComparisonStep = () => readonly Difference[];
