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
  const said: string[] = [];
  const brought: Carried[] = [];
  // Answers may hold thousands of ids, and the daemon has other things to do meanwhile.
  const known = new Set<string>();
  return requests.map((request, from) => {
    const text = textOf(request);
    const carried = brought.filter(({ value }) => isIn(value, text));
    said.push(text);
    for (const { value, place } of valuesOf(request.answer, [])) {
      if (known.has(value) || said.some((one) => isIn(value, one))) continue;
      known.add(value);
      brought.push({ value, from, place });
    }
    return carried;
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

function isIn(value: string, text: string): boolean {
  return text.includes(value) && wholeWord(value).test(text);
}

function wholeWord(text: string): RegExp {
  const plain = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w-])${plain}(?![\\w-])`, 'g');
}

function textOf({ path, headers, body }: ScenarioRequest): string {
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
