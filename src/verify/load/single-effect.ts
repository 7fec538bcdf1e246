import type { Json } from '../../kernel/index.ts';
import { ExchangedTexts } from '../traffic/index.ts';
import type { Burst, ConcurrentTrial } from './concurrent-requests.ts';
import { leavesOf } from './json-leaves.ts';
import type { ConcurrentAnswer } from './load-arm.ts';
import { isTimestamp } from './timestamp.ts';

/**
 * Whether all accepted answers of a burst name the same new thing, a different one in each burst:
 * then the effect happened once, and accepting the repeated request does no harm. What each answer
 * has of its own, such as its time, is no second effect.
 */
export function hasSingleEffect({ control, candidate }: ConcurrentTrial): boolean {
  const noise = noiseOfRefusals(control);
  const names = candidate.map((burst) => nameOfEffect(burst, noise));
  return names.every((name) => name !== null) && new Set(names).size === candidate.length;
}

/** What all these answers name; null if they name more than one thing. */
function nameOfEffect({ answers, texts }: Burst, noise: ReadonlySet<string>): string | null {
  const accepted = answers.filter(isAccepted);
  const [first] = accepted;
  if (!first) return null;
  const contents = accepted.map(contentOf);
  const differing = differingPlaces(contents);
  const isNoise = (place: string): boolean =>
    noise.has(place) || contents.every((one) => isOwn(one, place));
  if (![...differing].every(isNoise)) return null;
  // What was exchanged before would be in the answer to a second effect as well.
  const earlier = new ExchangedTexts(...texts);
  const fresh = leavesOf(first.body).filter(
    ([place, value]) =>
      !differing.has(place) && !isTimestamp(value, place) && !earlier.has(String(value)),
  );
  return fresh.length > 0 ? JSON.stringify(fresh) : null;
}

/** Answers may have thousands of leaves, so they are collected once. */
interface AnswerContent {
  readonly id: string;
  readonly leaves: ReadonlyMap<string, Json>;
}

function contentOf({ id, body }: ConcurrentAnswer): AnswerContent {
  return { id, leaves: new Map(leavesOf(body)) };
}

/**
 * A refused request has had no effect, so what differs between refusals does not name one. Only
 * refusals of the control count: a change must not decide what is ignored.
 */
function noiseOfRefusals(control: readonly Burst[]): ReadonlySet<string> {
  const places = control.flatMap(({ answers }) => [
    ...differingPlaces(answers.filter(isRefused).map(contentOf)),
  ]);
  return new Set(places);
}

function differingPlaces(contents: readonly AnswerContent[]): ReadonlySet<string> {
  const places = new Set(contents.flatMap(({ leaves }) => [...leaves.keys()]));
  const [first] = contents;
  return new Set(
    [...places].filter((place) =>
      contents.some(({ leaves }) => leaves.get(place) !== first?.leaves.get(place)),
    ),
  );
}

/** A time, or the id that only this request has. */
function isOwn({ id, leaves }: AnswerContent, place: string): boolean {
  const value = leaves.get(place);
  return value !== undefined && (isTimestamp(value, place) || String(value).includes(id));
}

function isRefused({ status }: ConcurrentAnswer): boolean {
  return status >= 400 && status < 500;
}

export function isAccepted({ status }: ConcurrentAnswer): boolean {
  return status >= 200 && status < 300;
}
