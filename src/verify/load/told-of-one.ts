import type { Json } from '../../kernel/index.ts';
import { Said } from '../traffic/index.ts';
import type { AtOnce, Burst } from './at-once.ts';
import { leavesOf } from './leaves.ts';
import type { AnswerAtOnce } from './load-arm.ts';
import { isMoment } from './moment.ts';

/**
 * All that were accepted name one and the same, another each time: asking again is no harm. What an
 * answer has of its own, such as when it was given, is no second effect.
 */
export function isToldOfOne({ control, candidate }: AtOnce): boolean {
  const noise = noiseOfRefusals(control);
  const names = candidate.map((burst) => nameOfOne(burst, noise));
  return names.every((name) => name !== null) && new Set(names).size === candidate.length;
}

/** What all of these answers name; null where they tell of more than one. */
function nameOfOne({ answers, said }: Burst, noise: ReadonlySet<string>): string | null {
  const accepted = answers.filter(isAccepted);
  const [first] = accepted;
  if (!first) return null;
  const told = accepted.map(tellLeaves);
  const apart = placesApart(told);
  const isNoise = (place: string): boolean =>
    noise.has(place) || told.every((one) => isOwn(one, place));
  if (![...apart].every(isNoise)) return null;
  // What was said before would be in the answer to a second effect just as well.
  const before = new Said(...said);
  const fresh = leavesOf(first.body).filter(
    ([place, value]) => !apart.has(place) && !isMoment(value, place) && !before.has(String(value)),
  );
  return fresh.length > 0 ? JSON.stringify(fresh) : null;
}

/** Answers may have thousands of leaves: they are gathered once. */
interface Told {
  readonly id: string;
  readonly leaves: ReadonlyMap<string, Json>;
}

function tellLeaves({ id, body }: AnswerAtOnce): Told {
  return { id, leaves: new Map(leavesOf(body)) };
}

/**
 * Whoever is refused has had no effect: what differs between such answers tells of none. Those of a
 * change count for nothing here: by them it would say itself what is not looked at.
 */
function noiseOfRefusals(control: readonly Burst[]): ReadonlySet<string> {
  const places = control.flatMap(({ answers }) => [
    ...placesApart(answers.filter(isRefused).map(tellLeaves)),
  ]);
  return new Set(places);
}

/** Where these answers do not all say the same. */
function placesApart(told: readonly Told[]): ReadonlySet<string> {
  const places = new Set(told.flatMap(({ leaves }) => [...leaves.keys()]));
  const [first] = told;
  return new Set(
    [...places].filter((place) =>
      told.some(({ leaves }) => leaves.get(place) !== first?.leaves.get(place)),
    ),
  );
}

/** A moment, or the id by which only this request is known. */
function isOwn({ id, leaves }: Told, place: string): boolean {
  const value = leaves.get(place);
  return value !== undefined && (isMoment(value, place) || String(value).includes(id));
}

function isRefused({ status }: AnswerAtOnce): boolean {
  return status >= 400 && status < 500;
}

export function isAccepted({ status }: AnswerAtOnce): boolean {
  return status >= 200 && status < 300;
}
