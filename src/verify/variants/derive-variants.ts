import { type Json, sha256 } from '../../kernel/index.ts';
import type { CodeHints } from './code-hints.ts';
import { credentialVariants } from './credentials.ts';
import { otherValues } from './field-values.ts';
import { formatPlace, placesIn, withValueAt } from './json-place.ts';
import type { KnownRequest } from './known-requests.ts';
import { type Variant, variantOf } from './variant.ts';

export interface VariantSources {
  readonly known: readonly KnownRequest[];
  readonly hints: CodeHints;
  readonly changed: readonly string[];
  /** Headers with credentials that suites and clients sent, on any route. */
  readonly credentials: readonly (readonly [string, string])[];
}

/** Pure: the most promising variants first; those of equal rank in an order that `seed` decides. */
export function deriveVariants(sources: VariantSources, seed: string): Variant[] {
  const all = sources.known.flatMap((known) => [
    ...fieldVariants(known, sources.hints),
    ...queryVariants(known, sources.hints),
    ...credentialVariants(known, sources.credentials, credentialRank(known, sources)),
  ]);
  const drawn = all.map((variant) => ({
    variant,
    draw: sha256(`${seed} ${variant.hop} ${variant.what}`),
  }));
  return drawn
    .sort((one, other) => one.variant.rank - other.variant.rank || (one.draw < other.draw ? -1 : 1))
    .map(({ variant }) => variant);
}

const ofAccess = /auth|token|scope|role|permission|session|credential|owner|tenant|login|cookie/;

/** Behind an entrance that did not change, and without a word of access, credentials say little. */
function credentialRank(
  { name }: KnownRequest,
  { hints, changed }: Pick<VariantSources, 'hints' | 'changed'>,
): number {
  const isEntrance = changed.some((service) => name.startsWith(`outside → ${service} `));
  return isEntrance || [...hints.names].some((one) => ofAccess.test(one)) ? 1 : farRank + 1;
}

/** How much later a field comes that the changed code does not name. */
const farRank = 2;

function fieldVariants(known: KnownRequest, hints: CodeHints): Variant[] {
  return placesIn(known.body).flatMap((field) => {
    const isNear = isNamed(field.place, hints);
    return otherValues(field, hints, isNear).map(({ value, text, rank }) => {
      const body = withValueAt(known.body, field.place, value);
      const what = `${formatPlace(field.place)} ${text}`;
      return variantOf(known, { what, rank: rank + (isNear ? 0 : farRank) }, (request) => ({
        ...request,
        body: Buffer.from(JSON.stringify(body)),
      }));
    });
  });
}

function isNamed(place: readonly string[], { names }: CodeHints): boolean {
  const name = place.findLast((part) => !/^\d+$/.test(part)) ?? '';
  return names.has(name.toLowerCase());
}

function queryVariants(known: KnownRequest, hints: CodeHints): Variant[] {
  const path = known.requests.at(-1)?.path ?? '';
  const url = new URL(path, 'http://localhost');
  return [...url.searchParams].flatMap(([name, held]) => {
    const isNear = isNamed([name], hints);
    const number = Number(held);
    const value: Json = held !== '' && Number.isFinite(number) ? number : held;
    return otherValues({ place: [name], value }, hints, isNear).map((other) => {
      const what = `${name} in the query ${other.text}`;
      return variantOf(known, { what, rank: other.rank + (isNear ? 0 : farRank) }, (request) => ({
        ...request,
        path: withQuery(url, name, other.value),
      }));
    });
  });
}

function withQuery(url: URL, name: string, value: Json | undefined): string {
  const copy = new URL(url);
  if (value === undefined) copy.searchParams.delete(name);
  else copy.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return `${copy.pathname}${copy.search}`;
}
