import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { IsSafe, Scenario, ScenarioRequest } from '../traffic/index.ts';
import { neededFor } from './known-requests.ts';

/** A value for a parameter of a path. */
export interface PathValue {
  readonly value: string;
  /** Requests of which the last one's answer holds it; empty if both versions know it already. */
  readonly needs: readonly ScenarioRequest[];
}

interface ValueSources {
  readonly scenarios: readonly Scenario[];
  readonly control: readonly Hop[];
  readonly candidate: readonly Hop[];
  readonly isSafe: IsSafe;
}

const steadyMax = 8;
const valueCharsMax = 80;
/** Shorter ones are not recognised in the answer of the other version. */
const madeCharsMin = 6;

/**
 * What requests and answers held where a parameter of a route could come from. A value that both
 * versions exchanged is there for both; one that a request made is made again for each.
 */
export class PathValues {
  readonly #steady: ReadonlyMap<string, readonly string[]>;
  readonly #made: ReadonlyMap<string, PathValue>;

  constructor({ scenarios, control, candidate, isSafe }: ValueSources) {
    const [own, other] = [valuesIn(control), valuesIn(candidate)];
    this.#steady = new Map(
      [...own].map(([key, held]) => [key, [...held].filter((one) => other.get(key)?.has(one))]),
    );
    this.#made = madeBy(scenarios, isSafe);
  }

  /** `{id}` of `/orders/{id}`: what followed `/orders/`, ids of orders. The best first. */
  valuesFor(parameter: string, collection: string): PathValue[] {
    const keys = keysFor(parameter, collection);
    const steady = keys.flatMap((key) => this.#steady.get(key) ?? []);
    const made = keys.flatMap((key) => this.#made.get(key) ?? []);
    return [
      ...[...new Set(steady)].slice(0, steadyMax).map((value) => ({ value, needs: [] })),
      ...made.slice(0, 1),
    ];
  }
}

/** Fields that name a thing by themselves, if it has no id. */
const ofNames = ['name', 'key', 'code', 'slug', 'sku', 'symbol'];

function keysFor(parameter: string, collection: string): string[] {
  const plain = plainName(parameter);
  const entity = plain === 'id' ? singular(collection) : plain.replace(/id$/, '');
  const isId = plain.endsWith('id');
  return [
    `/${collection}`,
    ...(plain === 'id' ? [] : [plain]),
    ...(isId ? [`${entity}.id`, `${entity}id`] : []),
    ...['id', ...ofNames].map((name) => `${singular(collection)}.${name}`),
  ];
}

/** By place: `/orders` is what follows it in a path, `order.id` a field of one, `sku` any field. */
function valuesIn(hops: readonly Hop[]): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  const note = (key: string, value: string): void => {
    if (!isUsable(value)) return;
    const held = values.get(key) ?? new Set();
    values.set(key, held.add(value));
  };
  for (const { path, status, requestBody, responseBody } of hops) {
    if (status < 200 || status >= 400) continue;
    const segments = segmentsOf(path);
    for (const [at, segment] of segments.entries()) note(`/${segments[at - 1]}`, segment);
    for (const body of [requestBody, responseBody]) {
      for (const [key, value] of fieldsIn(body, ownerOf(path))) note(key, value);
    }
  }
  return values;
}

function isUsable(value: string): boolean {
  return value !== '' && value.length <= valueCharsMax && !value.startsWith('[redacted');
}

function segmentsOf(path: string): string[] {
  return (path.split('?')[0] ?? '').split('/').slice(1).map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** What a path is about: of `/orders/ord_1` orders. */
function ownerOf(path: string): string {
  return segmentsOf(path).findLast((segment) => segment !== '' && !/\d/.test(segment)) ?? '';
}

/** Each field by its name, and by its name and what it is a field of. */
function fieldsIn(json: Json, owner: string): [key: string, value: string][] {
  if (Array.isArray(json)) return json.flatMap((item: Json) => fieldsIn(item, owner));
  if (!isJsonObject(json)) return [];
  return Object.entries(json).flatMap(([name, held]): [string, string][] => {
    if (typeof held !== 'string' && typeof held !== 'number') return fieldsIn(held, name);
    const plain = plainName(name);
    return [
      [`${singular(owner)}.${plain}`, String(held)],
      [plain, String(held)],
    ];
  });
}

/** The first that succeeded, and that may be sent again with all that it needs. */
function madeBy(scenarios: readonly Scenario[], isSafe: IsSafe): Map<string, PathValue> {
  const made = new Map<string, PathValue>();
  for (const { requests } of scenarios) {
    for (const [index, { status, path, answer }] of requests.entries()) {
      if (status < 200 || status >= 300) continue;
      const needs = neededFor(index, requests);
      if (!needs.every(isSafe)) continue;
      for (const [key, value] of fieldsIn(answer, ownerOf(path))) {
        const isMade = value.length >= madeCharsMin && /\d/.test(value) && isUsable(value);
        if (isMade && !made.has(key)) made.set(key, { value, needs });
      }
    }
  }
  return made;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

function singular(name: string): string {
  return plainName(name).replace(/ies$/, 'y').replace(/s$/, '');
}
