import { isJsonObject, type Json, tryOr } from '../../kernel/index.ts';
import type { ScenarioRequest } from './scenario.ts';

/** A value of an answer that a later request needs, such as the id of a new order. */
export interface CarriedValue {
  readonly value: string;
  /** The request whose answer had it, and the place in that answer. */
  readonly from: number;
  readonly place: readonly string[];
}

/** Shorter values would also match where they mean something else. */
const textCharsMin = 6;
const numberMin = 1_000;

/**
 * By request, the values that it took from earlier answers; not those that the client sent first
 * and an answer only repeated.
 */
export function findCarried(
  requests: readonly ScenarioRequest[],
): readonly (readonly CarriedValue[])[] {
  const sent = new ExchangedTexts();
  // Answers may hold thousands of ids, so words are looked up in a map.
  const brought = new Map<string, CarriedValue>();
  const phrases: CarriedValue[] = [];
  return requests.map((request, from) => {
    const texts = new ExchangedTexts(textOf(request));
    const words = [...texts.words].flatMap((word) => brought.get(word) ?? []);
    const carried = [...words, ...phrases.filter(({ value }) => texts.hasPhrase(value))];
    sent.add(texts);
    for (const { value, place } of valuesOf(request.answer, [])) {
      if (brought.has(value) || sent.has(value)) continue;
      const one = { value, from, place };
      brought.set(value, one);
      if (!isWord(value)) phrases.push(one);
    }
    return carried.toSorted((one, other) => one.from - other.from);
  });
}

/**
 * The request with the values of new answers in place of recorded ones. Null if a value is missing:
 * then it would be another request.
 */
export function carryInto(
  request: ScenarioRequest,
  carried: readonly CarriedValue[],
  answers: ReadonlyMap<number, Json>,
): ScenarioRequest | null {
  let filled = request;
  for (const { value, from, place } of carried) {
    // A request that was not sent again keeps its recorded answer.
    if (!answers.has(from)) continue;
    const now = valueAt(answers.get(from) ?? null, place);
    if (now === undefined) return null;
    filled = replaced(filled, value, now);
  }
  return filled;
}

function replaced(request: ScenarioRequest, old: string, now: string): ScenarioRequest {
  const { path, headers, body } = request;
  const pattern = wholeWord(old);
  const text = body?.toString('utf8') ?? '';
  return {
    ...request,
    path: path.replace(wholeWord(encodeURIComponent(old)), () => encodeURIComponent(now)),
    headers: headers.map(([name, held]) => [name, held.replace(pattern, () => now)]),
    // Only if something is replaced: bytes that are not text would not survive.
    body: pattern.test(text) ? Buffer.from(text.replace(pattern, () => now)) : body,
  };
}

/** Texts in which thousands of values are looked up; most values are single words. */
export class ExchangedTexts {
  readonly words = new Set<string>();
  readonly texts: string[];

  constructor(...texts: string[]) {
    this.texts = texts;
    for (const word of texts.join('\n').match(/[\w-]+/g) ?? []) this.words.add(word);
  }

  add({ words, texts }: ExchangedTexts): void {
    this.texts.push(...texts);
    for (const word of words) this.words.add(word);
  }

  has(value: string): boolean {
    return isWord(value) ? this.words.has(value) : this.hasPhrase(value);
  }

  hasPhrase(value: string): boolean {
    return this.texts.some((text) => text.includes(value) && wholeWord(value).test(text));
  }
}

function isWord(value: string): boolean {
  return /^[\w-]+$/.test(value);
}

function wholeWord(text: string): RegExp {
  const plain = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w-])${plain}(?![\\w-])`, 'g');
}

/** All texts of a request. */
export function textOf({ path, headers, body }: ScenarioRequest): string {
  const held = headers.map(([, value]) => value);
  return [tryOr(() => decodeURIComponent(path), path), ...held, body?.toString('utf8') ?? ''].join(
    '\n',
  );
}

function valuesOf(json: Json, place: readonly string[]): { value: string; place: string[] }[] {
  if (isCarriable(json)) return [{ value: String(json), place: [...place] }];
  if (!Array.isArray(json) && !isJsonObject(json)) return [];
  return Object.entries(json).flatMap(([name, value]) => valuesOf(value, [...place, name]));
}

function isCarriable(json: Json): boolean {
  if (typeof json === 'string') return json.length >= textCharsMin;
  return typeof json === 'number' && Math.abs(json) >= numberMin;
}

function valueAt(json: Json, place: readonly string[]): string | undefined {
  let at: Json | undefined = json;
  for (const name of place) {
    if (!Array.isArray(at) && !isJsonObject(at)) return undefined;
    at = (at as Readonly<Record<string, Json>>)[name];
  }
  return typeof at === 'string' || typeof at === 'number' ? String(at) : undefined;
}
