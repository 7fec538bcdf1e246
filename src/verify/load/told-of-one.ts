import { isJsonObject, type Json } from '../../kernel/index.ts';
import { formatOf } from '../differences/index.ts';
import type { AtOnce, Burst } from './at-once.ts';
import type { AnswerAtOnce } from './load-arm.ts';

/**
 * All that were accepted name one and the same, another each time: asking again is no harm. What an
 * answer has of its own, such as when it was given, is no second effect.
 */
export function isToldOfOne({ control, candidate }: AtOnce): boolean {
  const noise = noiseOfRefusals([...control, ...candidate]);
  const names = candidate.map((burst) => nameOfOne(burst, noise));
  return names.every((name) => name !== null) && new Set(names).size === candidate.length;
}

/** What all of these answers name; null where they tell of more than one. */
function nameOfOne({ answers, said }: Burst, noise: ReadonlySet<string>): string | null {
  const accepted = answers.filter(isAccepted);
  const [first] = accepted;
  if (!first) return null;
  const bodies = new Set(accepted.map(({ body }) => JSON.stringify(body)));
  if (bodies.size === 1) return JSON.stringify(first.body);
  const apart = placesApart(accepted);
  const isNoise = (place: string): boolean =>
    noise.has(place) || accepted.every((answer) => isOwn(answer, place));
  if (![...apart].every(isNoise)) return null;
  // What the client said itself would be in the answer to a second effect just as well.
  const fresh = leavesOf(first.body).filter(
    ([place, value]) => !apart.has(place) && !isMoment(value) && !isSaid(said, String(value)),
  );
  return fresh.length > 0 ? JSON.stringify(fresh) : null;
}

/** Of a single word, not as a part of another: a short id stands in many texts. */
function isSaid(said: string, value: string): boolean {
  if (!/^[\w-]+$/.test(value)) return said.includes(value);
  const words: readonly string[] = said.match(/[\w-]+/g) ?? [];
  return words.includes(value);
}

/** Whoever is refused has had no effect: what differs between such answers tells of none. */
function noiseOfRefusals(bursts: readonly Burst[]): ReadonlySet<string> {
  const places = bursts.flatMap(({ answers }) => [...placesApart(answers.filter(isRefused))]);
  return new Set(places);
}

/** Where these answers do not all say the same. */
function placesApart(answers: readonly AnswerAtOnce[]): ReadonlySet<string> {
  const leaves = answers.map(({ body }) => new Map(leavesOf(body)));
  const places = new Set(leaves.flatMap((one) => [...one.keys()]));
  const [first] = leaves;
  return new Set(
    [...places].filter((place) => leaves.some((one) => one.get(place) !== first?.get(place))),
  );
}

/** A moment, or the id by which only this request is known. */
function isOwn({ id, body }: AnswerAtOnce, place: string): boolean {
  const value = leavesOf(body).find(([one]) => one === place)?.[1];
  return value !== undefined && (isMoment(value) || String(value).includes(id));
}

/** Milliseconds or seconds since 1970, of this century. */
const epochs = [
  [946_684_800_000, 4_102_444_800_000],
  [946_684_800, 4_102_444_800],
] as const;

export function isMoment(value: Json): boolean {
  if (typeof value === 'string') return formatOf(value) === 'date-time';
  return typeof value === 'number' && epochs.some(([from, to]) => value >= from && value < to);
}

function isRefused({ status }: AnswerAtOnce): boolean {
  return status >= 400 && status < 500;
}

export function isAccepted({ status }: AnswerAtOnce): boolean {
  return status >= 200 && status < 300;
}

/** Every value that holds no other, with its place: `items.0.price`. */
export function leavesOf(json: Json, place = ''): [place: string, value: Json][] {
  if (!isJsonObject(json) && !Array.isArray(json)) return [[place, json]];
  return Object.entries(json).flatMap(([name, value]) =>
    leavesOf(value, place === '' ? name : `${place}.${name}`),
  );
}
