import type { AtOnce, Burst } from './at-once.ts';
import { leavesOf } from './leaves.ts';
import { isAccepted, isToldOfOne } from './told-of-one.ts';

/** What only a change does when the same is asked for several times at once. */
export interface Clash {
  readonly what: 'answers-disagree' | 'accepted-twice' | 'effect-repeated';
  /** The field, or the call, or null for the whole answer. */
  readonly place: string | null;
  readonly before: string;
  readonly after: string;
  /** An answer of a burst that shows it. */
  readonly burst: Burst;
}

/** How often it was tried, and in how many of these a change has to show it. */
export const burstsOfStep = 4;
const showsMin = 3;

/** Pure: what the version before did the same way each time, and the change does not. */
export function findClashes(atOnce: AtOnce): Clash[] {
  return [...disagreements(atOnce), ...acceptedTwice(atOnce), ...repeatedEffects(atOnce)];
}

/** A field that had one value in all answers of a burst, such as the id of the one charge. */
function disagreements({ control, candidate }: AtOnce): Clash[] {
  const [first, ...more] = control.map(valuesByPlace);
  const agreed = [...(first ?? [])].filter(
    ([place, values]) => values.size === 1 && more.every((other) => other.get(place)?.size === 1),
  );
  return agreed.flatMap(([place]) => {
    const shows = candidate.filter((burst) => (valuesByPlace(burst).get(place)?.size ?? 0) > 1);
    const [burst] = shows;
    if (!burst || shows.length < showsMin) return [];
    const values = valuesByPlace(burst).get(place)?.size ?? 0;
    const before = `one and the same in ${burst.answers.length} answers at once`;
    const after = `${values} different ones in ${burst.answers.length} answers at once`;
    return [{ what: 'answers-disagree', place, before, after, burst } as const];
  });
}

/** Only one of them could be right, and more than that are told that they are. */
function acceptedTwice(atOnce: AtOnce): Clash[] {
  const { control, candidate } = atOnce;
  const found = compareCounts(
    control,
    candidate,
    ({ answers }) => answers.filter(isAccepted).length,
  );
  if (!found || found.was === 0 || isToldOfOne(atOnce)) return [];
  const { was, is, burst } = found;
  const of = `of ${burst.answers.length} at once accepted`;
  const told = { before: `${was} ${of}`, after: `${is} ${of}` };
  return [{ what: 'accepted-twice', place: null, ...told, burst }];
}

/** Somebody else was asked once to do something, and now is more often. */
function repeatedEffects({ control, candidate }: AtOnce): Clash[] {
  const names = new Set(candidate.flatMap(({ hops }) => hops.flatMap(effectOf)));
  return [...names].flatMap((place) => {
    const count = ({ hops }: Burst): number =>
      hops.flatMap(effectOf).filter((one) => one === place).length;
    const found = compareCounts(control, candidate, count);
    if (!found || found.was === 0) return [];
    const { was, is, burst } = found;
    const told = { before: `${was} times for requests at once`, after: `${is} times` };
    return [{ what: 'effect-repeated', place, ...told, burst } as const];
  });
}

interface Counted {
  readonly was: number;
  readonly is: number;
  readonly burst: Burst;
}

function compareCounts(
  control: readonly Burst[],
  candidate: readonly Burst[],
  count: (burst: Burst) => number,
): Counted | null {
  const counts = new Set(control.map(count));
  const [was = 0] = counts;
  const shows = candidate.filter((burst) => count(burst) > was);
  const [burst] = shows;
  return counts.size === 1 && burst && shows.length >= showsMin
    ? { was, is: count(burst), burst }
    : null;
}

function effectOf({ from, to, method, protocol }: Burst['hops'][number]): string[] {
  const isAsking = ['GET', 'HEAD', 'OPTIONS'].includes(method);
  return from === null || isAsking || protocol === 'message' ? [] : [`${from} → ${to} ${method}`];
}

/** Of answers that were accepted, if all of them were: by place, the values that were there. */
function valuesByPlace({ answers }: Burst): ReadonlyMap<string, ReadonlySet<string>> {
  const places = new Map<string, Set<string>>();
  if (!answers.every(isAccepted)) return places;
  for (const { body } of answers) {
    for (const [place, value] of leavesOf(body)) {
      places.set(place, (places.get(place) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  return places;
}
