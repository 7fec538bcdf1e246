import { isValue } from '../compare/difference.ts';
import { type Difference, hopName } from '../compare/index.ts';
import { verifyLimits } from '../limits.ts';
import type { Round } from '../observe/round.ts';
import { isVariantHop } from './send-variants.ts';
import type { Variant } from './variant.ts';

/** A variant that differed in one round. */
export interface Suspect {
  readonly variant: Variant;
  /** What differed and where, whichever variant shows it. */
  readonly kind: string;
  /** Only a value differs. */
  readonly isValue: boolean;
}

/** What one round of variants showed. */
interface ShownVariants {
  readonly variants: readonly Variant[];
  readonly round: Round;
  readonly differences: readonly Difference[];
}

/**
 * The variants that differ; all of them, where it is unknown which one does. A value that also
 * differs in a single round of `usual` requests, such as a serial number, makes none a suspect.
 */
export function suspectsOf(
  { variants, round, differences }: ShownVariants,
  usual: readonly Difference[],
): Suspect[] {
  const hops = [...round.control.hops, ...round.candidate.hops].filter(isVariantHop);
  const byName = new Map(hops.map((hop) => [hopName(hop), hop]));
  const noise = new Set(usual.filter(isValue).map((one) => kindOf(one, one.hop)));
  return differences.flatMap((difference): Suspect[] => {
    const hop = byName.get(difference.hop ?? '');
    if (difference.hop === null) {
      const kind = kindOf(difference, null);
      return variants.map((variant) => ({ variant, kind, isValue: false }));
    }
    if (hop === undefined) return [];
    const { variant: _, ...plain } = hop;
    const kind = kindOf(difference, hopName(plain));
    return noise.has(kind) ? [] : [{ variant: hop.sentAs, kind, isValue: isValue(difference) }];
  });
}

export function kindOf(
  { class: kind, what, service, place }: Difference,
  hop: string | null,
): string {
  return JSON.stringify([kind, what, service, hop, place]);
}

/**
 * Some of each kind in turn: of one kind, others most likely show the same, and a kind that all
 * variants show may be chance.
 */
export function confirmable(suspects: readonly Suspect[]): readonly Variant[] {
  const kinds = [...Map.groupBy(suspects, ({ kind }) => kind).values()];
  const turns = Math.max(0, ...kinds.map(({ length }) => length));
  const chosen = new Set<Variant>();
  for (let turn = 0; turn < turns; turn++) {
    for (const kind of kinds) {
      const next = kind[turn]?.variant;
      if (next && chosen.size < verifyLimits.variantsConfirmedMax) chosen.add(next);
    }
  }
  return [...chosen];
}
