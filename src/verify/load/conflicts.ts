import type { Hop } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import type { Burst, ConcurrentTrial, PreparedSteps } from './concurrent-requests.ts';
import { formatRequest } from './degradation.ts';
import { leavesOf } from './json-leaves.ts';
import { hasSingleEffect, isAccepted } from './single-effect.ts';

/** What only a change does when the same request comes several times at once. */
interface Conflict {
  readonly what: 'answers-disagree' | 'accepted-twice' | 'effect-repeated';
  /** The field, or the call, or null for the whole answer. */
  readonly place: string | null;
  readonly before: string;
  readonly after: string;
  /** A burst that shows it. */
  readonly burst: Burst;
}

/** How many bursts are sent, and in how many of them a change has to show a conflict. */
export const burstsOfRequest = 4;
const showsMin = 3;

/** A request, and its conflicts. */
interface ConflictingRequest {
  readonly steps: PreparedSteps;
  readonly conflicts: readonly Conflict[];
}

/** The requests that reach a changed service and have conflicts. */
export function findConflictingRequests(
  trials: readonly ConcurrentTrial[],
  services: readonly string[],
): ConflictingRequest[] {
  const reaches = ({ candidate }: ConcurrentTrial): boolean =>
    candidate.some(({ hops }) => hops.some(({ to }) => services.includes(to)));
  return trials
    .filter(reaches)
    .map((trial) => ({ steps: trial.steps, conflicts: findConflicts(trial) }))
    .filter(({ conflicts }) => conflicts.length > 0);
}

/** The conflicts that were there on an earlier start, too. */
export function confirmConflicts(
  found: readonly ConflictingRequest[],
  before: readonly ConflictingRequest[],
  services: readonly string[],
): { readonly differences: Difference[]; readonly shown: Hop[] } {
  const known = new Set(
    before.flatMap(({ steps, conflicts }) => conflicts.map((one) => nameOf(steps, one))),
  );
  const confirmed = found.flatMap(({ steps, conflicts }) =>
    conflicts
      .filter((conflict) => known.has(nameOf(steps, conflict)))
      .map((conflict) => ({ steps, conflict })),
  );
  return {
    differences: confirmed.map(({ steps, conflict }) =>
      conflictDifference(steps, conflict, services),
    ),
    shown: confirmed.flatMap(({ conflict }) => conflict.burst.hops),
  };
}

function nameOf(steps: PreparedSteps, { what, place }: Conflict): string {
  return `${requestOf(steps)} ${what} ${place ?? ''}`;
}

function requestOf(steps: PreparedSteps): string {
  const last = steps.at(-1);
  return last ? formatRequest(last.request) : '';
}

/** The last changed service that the requests reached is responsible. */
function conflictDifference(
  steps: PreparedSteps,
  { what, place, before, after, burst }: Conflict,
  services: readonly string[],
): Difference {
  const service = burst.hops.findLast(({ to }) => services.includes(to))?.to ?? services[0] ?? '';
  const [example] = burst.answers;
  return {
    class: 'load',
    what,
    service,
    hop: null,
    place: place === null ? requestOf(steps) : `${requestOf(steps)} ${place}`,
    before,
    after,
    examples: { before: null, after: { request: example?.id ?? null } },
    severity: 'fail',
    confidence: 0.99,
  };
}

/** Pure: what the control does the same way each time, and the candidate does not. */
export function findConflicts(trial: ConcurrentTrial): Conflict[] {
  return [...disagreements(trial), ...acceptedTwice(trial), ...repeatedEffects(trial)];
}

/** A field that had one value in all answers of a burst, such as the id of the one charge. */
function disagreements({ control, candidate }: ConcurrentTrial): Conflict[] {
  const [first, ...more] = control.map(valuesByPlace);
  const agreed = [...(first ?? [])].filter(
    ([place, values]) => values.size === 1 && more.every((other) => other.get(place)?.size === 1),
  );
  return agreed.flatMap(([place]) => {
    const shows = candidate.filter((burst) => (valuesByPlace(burst).get(place)?.size ?? 0) > 1);
    const [burst] = shows;
    if (!burst || shows.length < showsMin) return [];
    const values = valuesByPlace(burst).get(place)?.size ?? 0;
    const answers = `${burst.answers.length} concurrent answers`;
    const sides = {
      before: `the same value in ${answers}`,
      after: `${values} different values in ${answers}`,
    };
    return [{ what: 'answers-disagree', place, ...sides, burst } as const];
  });
}

/** Only one of the requests can succeed, and more of them get a success answer. */
function acceptedTwice(trial: ConcurrentTrial): Conflict[] {
  const { control, candidate } = trial;
  const found = compareCounts(
    control,
    candidate,
    ({ answers }) => answers.filter(isAccepted).length,
  );
  if (!found || found.before === 0 || hasSingleEffect(trial)) return [];
  const { before, after, burst } = found;
  const of = `of ${burst.answers.length} concurrent requests accepted`;
  const sides = { before: `${before} ${of}`, after: `${after} ${of}` };
  return [{ what: 'accepted-twice', place: null, ...sides, burst }];
}

/** A call with an effect that was made once, and now is made more often. */
function repeatedEffects({ control, candidate }: ConcurrentTrial): Conflict[] {
  const names = new Set(candidate.flatMap(({ hops }) => hops.flatMap(effectOf)));
  return [...names].flatMap((place) => {
    const count = ({ hops }: Burst): number =>
      hops.flatMap(effectOf).filter((one) => one === place).length;
    const found = compareCounts(control, candidate, count);
    if (!found || found.before === 0) return [];
    const { before, after, burst } = found;
    const sides = { before: `${before} times for concurrent requests`, after: `${after} times` };
    return [{ what: 'effect-repeated', place, ...sides, burst } as const];
  });
}

interface CountComparison {
  readonly before: number;
  readonly after: number;
  readonly burst: Burst;
}

function compareCounts(
  control: readonly Burst[],
  candidate: readonly Burst[],
  count: (burst: Burst) => number,
): CountComparison | null {
  const counts = new Set(control.map(count));
  const [before = 0] = counts;
  const shows = candidate.filter((burst) => count(burst) > before);
  const [burst] = shows;
  return counts.size === 1 && burst && shows.length >= showsMin
    ? { before, after: count(burst), burst }
    : null;
}

function effectOf({ from, to, method, protocol }: Hop): string[] {
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
  return from === null || isRead || protocol === 'message' ? [] : [`${from} → ${to} ${method}`];
}

/** By place, the values in the answers; none unless all answers were accepted. */
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
