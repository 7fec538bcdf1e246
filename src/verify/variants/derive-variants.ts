import { isJsonObject, type Json, redactText, sha256 } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import type { CodeHints } from './code-hints.ts';
import type { ComparedConstants } from './compared-constants.ts';
import { credentialVariants } from './credentials.ts';
import { otherValues, type ValueSources } from './field-values.ts';
import { formatPlace, placesIn, withValueAt } from './json-place.ts';
import type { KnownRequest } from './known-requests.ts';
import { pathVariants } from './path-variants.ts';
import { madeFrom, type Variant, type VariantDraft, variantOf } from './variant.ts';

export interface VariantSources {
  readonly known: readonly KnownRequest[];
  readonly hints: CodeHints;
  readonly changed: readonly string[];
  /** By the name of a field, what requests and answers held in it. */
  readonly observed: ReadonlyMap<string, readonly Json[]>;
  /** Names of hops at which requests ran changed lines. */
  readonly reaching: ReadonlySet<string>;
  /** By the name of a field, the numbers that the code of changed services compares it with. */
  readonly compared: ComparedConstants;
  /** Names of query parameters that changed services read. */
  readonly queries: readonly string[];
  /** Where a service says that it is well: `/healthz`. */
  readonly health?: string | undefined;
  /** Headers with credentials that suites and clients sent, on any route. */
  readonly credentials: readonly (readonly [string, string])[];
}

/**
 * Pure: the most promising variants, up to a limit; those of equal rank in an order that `seed`
 * decides.
 */
export function deriveVariants(sources: VariantSources, seed: string, limit: number): Variant[] {
  const all = sources.known.flatMap((known) => [
    ...fieldVariants(known, sources),
    ...addedFields(known, sources.hints),
    ...queryVariants(known, sources),
    ...pathVariants(known, sources.health),
    ...sentTwice(known),
    ...credentialVariants(known, sources.credentials, credentialRank(known, sources)),
  ]);
  return drawn(all, sources, { seed, limit });
}

/**
 * Pure: reads of routes that nobody asked for, as they are, and known reads with a query parameter
 * that nobody sent. They show what suites look away from, so they take no room from others.
 */
export function directReads(
  sources: VariantSources & { readonly unasked: readonly KnownRequest[] },
  seed: string,
  limit: number,
): Variant[] {
  const asked = sources.unasked.map(({ what = '', ...known }) =>
    variantOf(known, { what, rank: 0 }, (request) => request),
  );
  const queried = [...sources.known, ...sources.unasked].flatMap((known) =>
    askedQueries(known, sources),
  );
  return drawn([...asked, ...queried], sources, { seed, limit });
}

function drawn(
  drafts: readonly VariantDraft[],
  { reaching }: Pick<VariantSources, 'reaching'>,
  { seed, limit }: { readonly seed: string; readonly limit: number },
): Variant[] {
  const all = drafts.map((variant) => ({
    variant,
    // A line tells only the first request that ran it, so that this is no more than a hint.
    rank: variant.rank + (reaching.has(variant.hop) ? 0 : 1),
    draw: sha256(`${seed} ${variant.hop} ${variant.what}`),
  }));
  return all
    .sort((one, other) => one.rank - other.rank || (one.draw < other.draw ? -1 : 1))
    .slice(0, limit)
    .map(({ variant }) => madeFrom(variant));
}

const queryValuesMax = 2;

/** A read with a parameter that the code reads, and no request of this kind ever had. */
function askedQueries(
  known: KnownRequest,
  { queries, observed }: Pick<VariantSources, 'queries' | 'observed'>,
): VariantDraft[] {
  if (known.body !== null || !isRead(known)) return [];
  const has = urlOf(known).searchParams;
  return queries
    .filter((name) => !has.has(name))
    .flatMap((name) => {
      const values = [...(observed.get(name) ?? []).slice(0, queryValuesMax), 1];
      return values.map((value) => {
        const about = { what: `${name} in the query = ${String(value)}`, rank: 1 };
        return withQuery(known, about, [name, value]);
      });
    });
}

const ofAccess = /auth|token|scope|role|permission|session|credential|owner|tenant|login|cookie/;

/** Behind an entrance that did not change, and without a word of access, credentials say little. */
function credentialRank(
  { name }: KnownRequest,
  { hints, changed }: Pick<VariantSources, 'hints' | 'changed'>,
): number {
  const isEntrance = changed.some((service) => name.startsWith(`outside → ${service} `));
  return isEntrance || [...hints.names, ...hints.namesBeside].some((one) => ofAccess.test(one))
    ? 1
    : farRank + 1;
}

/** How much later a field comes that the changed code does not name. */
const farRank = 2;

/** How far a field is from the changed lines: 0 if they name it, 1 if the code beside them does. */
function distanceOf(name: string, { names, namesBeside }: CodeHints): number {
  const small = name.toLowerCase();
  if (names.has(small)) return 0;
  return namesBeside.has(small) ? 1 : farRank;
}

function fieldVariants(known: KnownRequest, sources: VariantSources): VariantDraft[] {
  const { hints } = sources;
  const isVaried = (place: readonly string[]): boolean =>
    known.what?.startsWith(`${formatPlace(place)} `) === true;
  const fields = placesIn(known.body)
    .filter(({ place }) => !isVaried(place))
    .map((field) => ({ field, distance: distanceOf(nameOf(field.place), hints) }))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, verifyLimits.variantPlacesMax);
  return fields.flatMap(({ field, distance }) => {
    const name = nameOf(field.place);
    return otherValues(field, valueSources(name, sources)).map(({ value, text, rank }) => {
      const what = `${formatPlace(field.place)} ${text}`;
      return withBody(known, { what, rank: rank + distance }, field.place, value);
    });
  });
}

function valueSources(
  name: string,
  { hints, observed, compared }: Pick<VariantSources, 'hints' | 'observed' | 'compared'>,
): ValueSources {
  return {
    hints,
    isNear: distanceOf(name, hints) < farRank,
    observed: observed.get(name) ?? [],
    compared: compared.get(name.toLowerCase()) ?? [],
  };
}

function nameOf(place: readonly string[]): string {
  return place.findLast((part) => !/^\d+$/.test(part)) ?? '';
}

function withBody(
  known: KnownRequest,
  about: Pick<Variant, 'what' | 'rank'>,
  place: readonly string[],
  value: Json | undefined,
): VariantDraft {
  return variantOf(known, about, (request) => ({
    ...request,
    body: Buffer.from(JSON.stringify(withValueAt(known.body, place, value))),
  }));
}

const wordsAdded = 2;

/** Fields that the changed lines read, and the request does not have. */
function addedFields(known: KnownRequest, { fields, texts, numbers }: CodeHints): VariantDraft[] {
  const has = new Set(placesIn(known.body).map(({ place }) => nameOf(place)));
  const words = texts.filter((text) => !fields.includes(text)).slice(0, wordsAdded);
  const values: Json[] = [...words, ...numbers.slice(0, 1), 'x', 1, true, null];
  const isBody = isJsonObject(known.body);
  const isQuery = known.body === null && isRead(known);
  if (!isBody && !isQuery) return [];
  return fields
    .filter((name) => !has.has(name))
    .flatMap((name) =>
      [...new Set(values)].map((value) => {
        const about = { what: `${name} = ${JSON.stringify(value)}`, rank: farRank };
        if (isBody) return withBody(known, about, [name], value);
        return withQuery(known, { ...about, what: `${name} in the query = ${String(value)}` }, [
          name,
          value,
        ]);
      }),
    );
}

function isRead({ requests }: KnownRequest): boolean {
  return ['GET', 'HEAD'].includes(requests.at(-1)?.method ?? '');
}

/** An effect that comes twice; also one with larger numbers, which something may add up. */
function sentTwice(known: KnownRequest): VariantDraft[] {
  if (isRead(known) || known.what !== undefined) return [];
  const larger = (known.others ?? []).flatMap((other) => {
    const differing = formatDifference(known.body, other.body);
    return differing === '' ? [] : twice(other, differing);
  });
  return [...new Map([...twice(known, ''), ...larger].map((one) => [one.what, one])).values()];
}

function twice({ requests, name, isInner }: KnownRequest, differing: string): VariantDraft[] {
  const request = requests.at(-1);
  if (!request) return [];
  const what = differing === '' ? 'sent twice' : `sent twice with ${differing}`;
  const make = (): ScenarioRequest[] => [...requests, request];
  return [{ what, hop: name, make, varied: 2, hasOwnIds: isInner, rank: 1 }];
}

const bodyCharsMax = 80;

/** What one body has and the other has not; ids are new in each request. */
function formatDifference(usual: Json, body: Json): string {
  if (!isJsonObject(usual) || !isJsonObject(body)) return '';
  const other = Object.entries(body).filter(
    ([name, held]) => JSON.stringify(held) !== JSON.stringify(usual[name]) && !isId(held),
  );
  const text = redactText(JSON.stringify(Object.fromEntries(other))).replaceAll(', ', ' ');
  if (other.length === 0) return '';
  return text.length > bodyCharsMax ? `${text.slice(0, bodyCharsMax)}…` : text;
}

function isId(held: Json): boolean {
  return typeof held === 'string' && held.replace(/\D/g, '').length >= idDigitsMin;
}

const idDigitsMin = 6;

function queryVariants(known: KnownRequest, sources: VariantSources): VariantDraft[] {
  const url = urlOf(known);
  const held = [...url.searchParams].slice(0, verifyLimits.variantPlacesMax);
  return held.flatMap(([name, text]) => {
    const distance = distanceOf(name, sources.hints);
    const number = Number(text);
    const value: Json = text !== '' && Number.isFinite(number) ? number : text;
    return otherValues({ place: [name], value }, valueSources(name, sources)).map((other) => {
      const what = `${name} in the query ${other.text}`;
      const about = { what, rank: other.rank + distance };
      return withQuery(known, about, [name, other.value]);
    });
  });
}

function urlOf({ requests }: KnownRequest): URL {
  return new URL(requests.at(-1)?.path ?? '', 'http://localhost');
}

function withQuery(
  known: KnownRequest,
  about: Pick<Variant, 'what' | 'rank'>,
  [name, value]: readonly [string, Json | undefined],
): VariantDraft {
  return variantOf(known, about, (request) => {
    const url = urlOf(known);
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    return { ...request, path: `${url.pathname}${url.search}` };
  });
}
