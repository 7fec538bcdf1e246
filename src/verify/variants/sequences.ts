import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Round } from '../observe/round.ts';
import { isRead, type ScenarioRequest } from '../traffic/index.ts';
import { isVariantHop, type VariantHop } from './send-variants.ts';
import type { Variant } from './variant.ts';

/** Of the variants of one route, so many with different answers. What is refused leaves little. */
const acceptedMax = 4;
const refusedMax = 1;

/**
 * Pure: requests after which a service may answer otherwise if it remembers too much or too little.
 * Of variants that the control answers differently: one after the usual request, with the same ids;
 * and an effect twice.
 */
export function sequencesOf({ control }: Pick<Round, 'control'>, limit: number): Variant[] {
  const roots = control.hops
    .filter(isVariantHop)
    .filter(({ variant, sentAs }) => variant === sentAs.what && sentAs.usual !== undefined);
  // The first request of a variant is its own; what is read after it is another.
  const own = new Map(roots.toReversed().map((hop) => [hop.sentAs, hop]));
  const first = roots.filter((hop) => own.get(hop.sentAs) === hop);
  const routes = Map.groupBy(first, ({ sentAs }) => sentAs.hop);
  const chosen = inTurns([...routes.values()].map(answeredOtherwise));
  return chosen.flatMap((variant) => [...afterUsual(variant), ...twice(variant)]).slice(0, limit);
}

/** One variant for each answer. */
function answeredOtherwise(hops: readonly VariantHop[]): Variant[] {
  const answers = new Map(
    hops
      .toReversed()
      .map((hop) => [`${hop.status} ${JSON.stringify(wordsOf(hop.responseBody))}`, hop]),
  );
  const different = hops.filter((hop) => [...answers.values()].includes(hop));
  const isAccepted = ({ status }: VariantHop): boolean => status >= 200 && status < 400;
  return [
    ...different.filter(isAccepted).slice(0, acceptedMax),
    ...different.filter((hop) => !isAccepted(hop)).slice(0, refusedMax),
  ].map(({ sentAs }) => sentAs);
}

/** What an answer says, without numbers and ids, which differ for each request. */
function wordsOf(json: Json): Json {
  if (Array.isArray(json)) return json.map((item: Json) => wordsOf(item));
  if (isJsonObject(json)) {
    return Object.fromEntries(Object.entries(json).map(([name, held]) => [name, wordsOf(held)]));
  }
  if (typeof json === 'number') return 0;
  return typeof json === 'string' && /\d|\s/.test(json) ? '' : json;
}

function inTurns<Value>(lists: readonly (readonly Value[])[]): Value[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list[turn] ?? []),
  ).flat();
}

function afterUsual(variant: Variant): Variant[] {
  const { needed, own } = partsOf(variant);
  if (!own || !variant.usual) return [];
  const requests = [...needed, variant.usual, own];
  return [{ ...variant, what: `after the usual one, ${variant.what}`, requests, varied: 1 }];
}

function twice(variant: Variant): Variant[] {
  const { needed, own } = partsOf(variant);
  if (!own || isRead(own)) return [];
  return [
    { ...variant, what: `sent twice, ${variant.what}`, requests: [...needed, own, own], varied: 1 },
  ];
}

interface VariantParts {
  readonly needed: readonly ScenarioRequest[];
  readonly own: ScenarioRequest | undefined;
}

function partsOf({ requests, varied }: Variant): VariantParts {
  const at = requests.length - varied;
  return { needed: requests.slice(0, at), own: requests[at] };
}
