import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { ScenarioRequest } from './scenario.ts';

/** A value that an answer brought and a later request needs, such as the id of a new order. */
export interface Carried {
  readonly value: string;
  /** Which request of the scenario was answered with it, and where it stood. */
  readonly from: number;
  readonly place: readonly string[];
}

/** Shorter ones would be found where they mean something else. */
const textCharsMin = 6;
const numberMin = 1_000;

/**
 * By request: what it took from answers before it. What the client has said itself before is none
 * of these: an answer that repeats it brings nothing.
 */
export function findCarried(requests: readonly ScenarioRequest[]): readonly (readonly Carried[])[] {
  const said = new Said();
  // Answers may hold thousands of ids, and the daemon has other things to do meanwhile.
  const brought = new Map<string, Carried>();
  const phrases: Carried[] = [];
  return requests.map((request, from) => {
    const told = new Said(textOf(request));
    const words = [...told.words].flatMap((word) => brought.get(word) ?? []);
    const carried = [...words, ...phrases.filter(({ value }) => told.hasPhrase(value))];
    said.add(told);
    for (const { value, place } of valuesOf(request.answer, [])) {
      if (brought.has(value) || said.has(value)) continue;
      const one = { value, from, place };
      brought.set(value, one);
      if (!isWord(value)) phrases.push(one);
    }
    return carried.toSorted((one, other) => one.from - other.from);
  });
}

/**
 * The request with the values of these answers in place of those of the recording. Null when one of
 * them did not come: then it is not the same request any more.
 */
export function carryInto(
  request: ScenarioRequest,
  carried: readonly Carried[],
  answers: ReadonlyMap<number, Json>,
): ScenarioRequest | null {
  let filled = request;
  for (const { value, from, place } of carried) {
    // One that was not sent again brought what it brought when it was recorded.
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
    // Only where something is replaced: bytes that are no text would not survive it.
    body: pattern.test(text) ? Buffer.from(text.replace(pattern, () => now)) : body,
  };
}

/** Texts in which thousands of values are looked for; most of those are single words. */
export class Said {
  readonly words = new Set<string>();
  readonly texts: string[];

  constructor(...texts: string[]) {
    this.texts = texts;
    for (const word of texts.join('\n').match(/[\w-]+/g) ?? []) this.words.add(word);
  }

  add({ words, texts }: Said): void {
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

/** All that a client says with a request. */
export function textOf({ path, headers, body }: ScenarioRequest): string {
  const held = headers.map(([, value]) => value);
  return [decoded(path), ...held, body?.toString('utf8') ?? ''].join('\n');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
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
