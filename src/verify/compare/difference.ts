import type { DifferenceFinding, Dispute, FindingEvidence } from '../api-schema.ts';

/** Something that only one of candidate and baseline does. */
export type Difference = Omit<DifferenceFinding, 'kind' | keyof FindingEvidence> & {
  /** Tells several differences at one place apart; part of the id, not of the text. */
  readonly which?: string;
  /** A notice does not fail the change. */
  readonly severity: 'fail' | 'notice';
  /** A request that shows it, as a line for a shell; left out if only suites show it. */
  readonly request?: string;
  /** Set if somebody disputes it; it is then a notice. */
  readonly disputed?: Dispute;
};

/**
 * Runs may agree on a value by chance, and on a busy machine what fills a list may come too late;
 * so these need more rounds than other differences.
 */
export function isValue({ what }: Difference): boolean {
  return ['value-changed', 'filled', 'emptied', 'member-missing', 'order-changed'].includes(what);
}

/** The certainty after so many observations without an exception. */
export function certaintyOf(observations: number): number {
  return Math.round((1 - 1 / (observations + 2)) * 100) / 100;
}

/** A short part of a comparison: the daemon answers other requests between two of them. */
export type ComparisonStep = () => readonly Difference[];
