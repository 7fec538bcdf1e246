import type { ScenarioRequest } from '../traffic/index.ts';
import type { KnownRequest } from './known-requests.ts';

/** A known request with something else in it. */
export interface Variant {
  /** What differs, in words: `amount = 10000`. Unique among the variants of one hop. */
  readonly what: string;
  /** The hop of the known request: `outside → edge POST /trades`. */
  readonly hop: string;
  /** In order; the last `varied` ones are compared, those before prepare for them. */
  readonly requests: readonly ScenarioRequest[];
  readonly varied: number;
  /** Ids in its body name nothing that exists, and are made anew for each version. */
  readonly hasOwnIds: boolean;
  /** The known request itself, in place of the first that is compared. */
  readonly usual?: ScenarioRequest | undefined;
  /** Of a request that nobody asked before: nothing is known about its answers. */
  readonly isUnasked?: boolean | undefined;
  /** 0 is sent first. */
  readonly rank: number;
}

/** A variant whose requests are not made yet: of thousands of them, few are sent. */
export interface VariantDraft extends Omit<Variant, 'requests'> {
  make(): Variant['requests'];
}

export function madeFrom({ make, ...draft }: VariantDraft): Variant {
  return { ...draft, requests: make() };
}

/** The known request with something else in its last part. */
export function variantOf(
  { requests, name, isInner, isUnasked, read, what: before }: KnownRequest,
  { what, rank }: Pick<Variant, 'what' | 'rank'>,
  vary: (request: ScenarioRequest) => ScenarioRequest,
): VariantDraft {
  const make = (): ScenarioRequest[] =>
    requests.map((one, index) => (index === requests.length - 1 ? vary(one) : one));
  const all = before === undefined ? what : `${before}, ${what}`;
  const usual = isUnasked ? undefined : requests.at(-1);
  const common = { what: all, hop: name, hasOwnIds: isInner, rank, usual, isUnasked };
  // What was written is worth a request only where something is likely to differ.
  if (read === undefined || rank > 1) return { ...common, make, varied: 1 };
  return { ...common, make: () => [...make(), read], varied: 2 };
}
