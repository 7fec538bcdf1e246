import type { Json } from '../../kernel/index.ts';
import type { Dispute } from '../history/disputes.ts';

/** From what breaks others to what merely shows it. */
export const differenceClasses = [
  'start',
  'security',
  'contract',
  'calls',
  'writes',
  'error',
  'status',
  'signal',
  'load',
] as const;

export type DifferenceClass = (typeof differenceClasses)[number];

/** Something that a candidate did and the version before it did not, or the other way round. */
export type Difference = {
  readonly class: DifferenceClass;
  /** `type-changed`, `call-repeated`: the class says where, this what. */
  readonly what: string;
  /** Whose doing it is. */
  readonly service: string;
  /** `pricing → validation POST /validations`; null for what is not on a hop. */
  readonly hop: string | null;
  /** Which part of it: `request amount`; null for all of it. */
  readonly place: string | null;
  /** Which one of several that can be there; never told, only what names it. */
  readonly which?: string;
  readonly before: string;
  readonly after: string;
  /** One of either side, to see what is meant. */
  readonly examples: { readonly before: Json; readonly after: Json };
  /** A notice is told, but fails nothing. */
  readonly severity: 'fail' | 'notice';
  /** Set if somebody disputes it; it is then a notice. */
  readonly disputed?: Dispute;
  /** From 0 to 1: how sure it is that this is not chance. */
  readonly confidence: number;
};

/** How sure one is after so many observations of which not one was otherwise. */
export function certaintyOf(observations: number): number {
  return Math.round((1 - 1 / (observations + 2)) * 100) / 100;
}

/** A short part of a comparison: the daemon answers other requests between two of them. */
export type ComparisonStep = () => readonly Difference[];
