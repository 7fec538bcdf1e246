import { type FieldType, fieldTypeOf, isJsonObject, type Json } from '../../kernel/index.ts';
import { textFormatOf } from './text-format.ts';

/** Facts about one place in many JSON values. */
export interface FieldFacts {
  readonly types: Set<FieldType>;
  /** How often the object or list around it was there, and how often it was itself. */
  holders: number;
  present: number;
  /** How often it was an empty list, object or text. */
  empty: number;
  readonly formats: Set<string>;
  /** Texts with their counts, as long as they are few. */
  readonly words: Map<string, number>;
  /** Numbers, and truth values as 0 and 1. */
  readonly numbers: number[];
  /** The first value of each type, as examples. */
  readonly samples: Map<FieldType, Json>;
}

export function sampleOf({ samples }: FieldFacts): Json {
  return [...samples.values()][0] ?? null;
}

export type ShapeFacts = ReadonlyMap<string, FieldFacts>;

const wordsMax = 24;

/** Whether these are all texts of a field, and not only the first ones. */
export function areAllWords(words: ReadonlyMap<string, number>): boolean {
  return words.size < wordsMax;
}

const numbersMax = 256;

/** Facts about every place, such as `items[].price`; the values themselves are at ``. */
export function factsOf(values: readonly Json[]): ShapeFacts {
  const facts = new Map<string, FieldFacts>();
  for (const value of values) record(facts, '', value);
  countHolders(facts);
  return facts;
}

function record(facts: Map<string, FieldFacts>, place: string, value: Json): void {
  const fact = facts.get(place) ?? emptyFacts();
  facts.set(place, fact);
  fact.present += 1;
  const type = fieldTypeOf(value);
  fact.types.add(type);
  if (!fact.samples.has(type)) fact.samples.set(type, value);
  if (isEmpty(value)) fact.empty += 1;
  if (typeof value === 'string') recordText(fact, value);
  if (isCountable(value) && fact.numbers.length < numbersMax) fact.numbers.push(Number(value));
  if (Array.isArray(value)) for (const item of value) record(facts, `${place}[]`, item);
  else if (isJsonObject(value)) recordMembers(facts, place, value);
}

function isCountable(value: Json): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

function recordMembers(
  facts: Map<string, FieldFacts>,
  place: string,
  value: Readonly<Record<string, Json>>,
): void {
  for (const [name, member] of Object.entries(value)) {
    record(facts, place === '' ? fieldName(name) : `${place}.${fieldName(name)}`, member);
  }
}

/** Cached: the same few names come hundreds of thousands of times. */
const names = new Map<string, string>();
const namesMax = 5_000;

/** Objects that are maps have ids as names, which are not fields. */
export function fieldName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const field = /\d{4}|[0-9a-f]{8}-/i.test(name) ? '(id)' : name.replaceAll('.', '·');
  if (names.size < namesMax) names.set(name, field);
  return field;
}

function recordText(fact: FieldFacts, text: string): void {
  const times = fact.words.get(text);
  // The format of a known text is known, too.
  if (times === undefined) fact.formats.add(textFormatOf(text));
  if (times !== undefined || fact.words.size < wordsMax) fact.words.set(text, (times ?? 0) + 1);
}

function countHolders(facts: Map<string, FieldFacts>): void {
  for (const [place, fact] of facts) {
    const holder = facts.get(holderOf(place) ?? '');
    fact.holders = place === '' || place.endsWith('[]') ? fact.present : (holder?.present ?? 0);
  }
}

/** The place around a field; null for the whole value. */
export function holderOf(place: string): string | null {
  if (place === '') return null;
  if (place.endsWith('[]')) return place.slice(0, -2);
  const dot = place.lastIndexOf('.');
  return dot < 0 ? '' : place.slice(0, dot);
}

function emptyFacts(): FieldFacts {
  const counts = { holders: 0, present: 0, empty: 0 };
  return {
    ...counts,
    types: new Set(),
    formats: new Set(),
    words: new Map(),
    numbers: [],
    samples: new Map(),
  };
}

function isEmpty(value: Json): boolean {
  if (typeof value === 'string') return value === '';
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** A text in a body, with its place. */
export interface BodyText {
  readonly field: string;
  readonly text: string;
}

export function textsIn(value: Json, field = ''): BodyText[] {
  if (typeof value === 'string') return [{ field, text: value }];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, `${field}[]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    textsIn(member, field === '' ? fieldName(name) : `${field}.${fieldName(name)}`),
  );
}
