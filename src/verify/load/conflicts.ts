import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import type { Burst, ConcurrentTrial, PreparedSteps } from './concurrent-requests.ts';
import { formatRequest } from './degradation.ts';
import { leavesOf } from './json-leaves.ts';
import type { ConcurrentAnswer } from './load-arm.ts';
import { hasSingleEffect, isAccepted } from './single-effect.ts';
import { isTimestamp } from './timestamp.ts';

/** What only a change does when the same request comes several times at once. */
interface Conflict {
  readonly what:
    | 'answers-disagree'
    | 'answers-merged'
    | 'accepted-twice'
    | 'failed-together'
    | 'effect-repeated'
    | 'effect-missing';
  /** The field, or the call, or null for the whole answer. */
  readonly place: string | null;
  readonly before: string;
  readonly after: string;
  /** A burst that shows it. */
  readonly burst: Burst;
  /** How many bursts of the start show it. */
  readonly shows: number;
  readonly isShownBy: (burst: Burst) => boolean;
}

/** How many bursts are sent on each start. */
export const burstsOfRequest = 4;
/** A second effect in one burst is worth another start; answers may disagree by chance. */
const disagreementsMin = 3;
/** In so many bursts of two starts a change has to show a conflict that the control never shows. */
const confirmingShowsMin = 5;

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

interface JudgedConflicts {
  readonly differences: Difference[];
  readonly shown: Hop[];
  /** Conflicts that only the change ever showed, but too rarely to be certain. */
  readonly undecided: string[];
}

/** Judges the conflicts of a first start by the trials of a second one. */
export function confirmConflicts(
  trials: readonly ConcurrentTrial[],
  before: readonly ConflictingRequest[],
  services: readonly string[],
): JudgedConflicts {
  const again = new Map(
    findConflictingRequests(trials, services).flatMap(({ steps, conflicts }) =>
      conflicts.map((conflict) => [nameOf(steps, conflict), conflict] as const),
    ),
  );
  const all = before.flatMap(({ steps, conflicts }) =>
    conflicts.map((conflict) => {
      const other = again.get(nameOf(steps, conflict));
      const shows = conflict.shows + (other?.shows ?? 0);
      return { steps, conflict, other, shows };
    }),
  );
  const isConfirmed = ({ other, shows }: (typeof all)[number]): boolean =>
    other !== undefined && shows >= confirmingShowsMin;
  const isOnControl = ({ steps, conflict }: (typeof all)[number]): boolean =>
    trials.some(
      (trial) =>
        requestOf(trial.steps) === requestOf(steps) && trial.control.some(conflict.isShownBy),
    );
  const confirmed = all.filter(isConfirmed);
  const open = all.filter((one) => !isConfirmed(one) && !isOnControl(one));
  return {
    differences: confirmed.map(({ steps, conflict, other }) =>
      conflictDifference(steps, other ?? conflict, services),
    ),
    shown: confirmed.flatMap(({ conflict, other }) => (other ?? conflict).burst.hops),
    undecided: open
      .filter(({ conflict }) => !mayBeChance.has(conflict.what))
      .map(({ steps, conflict, shows }) => formatOpen(steps, conflict, shows)),
  };
}

/** Shown too rarely to be certain, these say nothing. */
const mayBeChance: ReadonlySet<Conflict['what']> = new Set([
  'answers-disagree',
  'answers-merged',
  'effect-missing',
]);

function formatOpen(steps: PreparedSteps, { what, place, after }: Conflict, shows: number): string {
  const where = [requestOf(steps), place].filter((one) => one !== null).join(', ');
  const bursts = `${shows} of ${2 * burstsOfRequest} bursts of concurrent requests`;
  return `${where}: ${what.replaceAll('-', ' ')} (${after}) in ${bursts}, never without the change`;
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
  return [
    ...disagreements(trial),
    ...mergedAnswers(trial),
    ...acceptedTwice(trial),
    ...failures(trial),
    ...changedEffects(trial),
  ];
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
    if (!burst || shows.length < disagreementsMin) return [];
    const values = valuesByPlace(burst).get(place)?.size ?? 0;
    const answers = `${burst.answers.length} concurrent answers`;
    const sides = {
      before: `the same value in ${answers}`,
      after: `${values} different values in ${answers}`,
    };
    const isShownBy = (one: Burst): boolean => (valuesByPlace(one).get(place)?.size ?? 0) > 1;
    const found = { burst, shows: shows.length, isShownBy };
    return [{ what: 'answers-disagree', place, ...sides, ...found } as const];
  });
}

/** A field that was different in each answer, such as a new id: several requests became one. */
function mergedAnswers({ control, candidate }: ConcurrentTrial): Conflict[] {
  const isMerged = (place: string, burst: Burst): boolean =>
    (valuesByPlace(burst).get(place)?.size ?? burst.answers.length) < burst.answers.length;
  const [first, ...more] = control;
  const ids = first
    ? [...valuesByPlace(first)].filter(([place, values]) => areIds(place, values))
    : [];
  const own = ids.filter(([place]) =>
    [first, ...more].every((burst) => burst && !isMerged(place, burst)),
  );
  // One place is enough to say it: all fields of a merged answer agree.
  const [found] = own.flatMap(([place]): Conflict[] => {
    const isShownBy = (burst: Burst): boolean => isMerged(place, burst);
    const shows = candidate.filter(isShownBy);
    const [burst] = shows;
    if (!burst || shows.length < disagreementsMin) return [];
    const answers = `${burst.answers.length} concurrent answers`;
    const values = valuesByPlace(burst).get(place)?.size ?? 0;
    const sides = { before: `a value of its own in each of ${answers}`, after: `${values} in all` };
    return [
      { what: 'answers-merged', place, ...sides, burst, shows: shows.length, isShownBy } as const,
    ];
  });
  return found ? [found] : [];
}

const idCharsMin = 8;

/** Long texts of which each answer has its own, and no times: those are equal by chance. */
function areIds(place: string, values: ReadonlySet<string>): boolean {
  return (
    values.size > 1 &&
    [...values].every((one) => {
      const value = JSON.parse(one) as Json;
      return typeof value === 'string' && value.length >= idCharsMin && !isTimestamp(value, place);
    })
  );
}

/** Requests that only fail because others come at the same time. */
function failures({ control, candidate }: ConcurrentTrial): Conflict[] {
  const found = compareCounts(
    control,
    candidate,
    ({ answers }) => answers.filter(isFailure).length,
  );
  if (!found || found.before > 0) return [];
  const { after, before, ...shown } = found;
  const of = `of ${shown.burst.answers.length} concurrent requests failed`;
  const sides = { before: `${before} ${of}`, after: `${after} ${of}` };
  return [{ what: 'failed-together', place: null, ...sides, ...shown }];
}

function isFailure({ status }: ConcurrentAnswer): boolean {
  return status >= 500;
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
  const { before, after, burst, shows, isShownBy } = found;
  const of = `of ${burst.answers.length} concurrent requests accepted`;
  const sides = { before: `${before} ${of}`, after: `${after} ${of}` };
  return [{ what: 'accepted-twice', place: null, ...sides, burst, shows, isShownBy }];
}

/** A call with an effect that is made more or less often than for the same requests before. */
function changedEffects({ control, candidate }: ConcurrentTrial): Conflict[] {
  const names = new Set([...control, ...candidate].flatMap(({ hops }) => hops.flatMap(effectOf)));
  return [...names].flatMap((place) => {
    const count = ({ hops }: Burst): number =>
      hops.flatMap(effectOf).filter((one) => one === place).length;
    return [repeatedEffect(place, compareCounts(control, candidate, count))]
      .concat(
        missingEffect(
          place,
          compareCounts(control, candidate, (burst) => -count(burst)),
        ),
      )
      .flatMap((one) => one ?? []);
  });
}

function repeatedEffect(place: string, found: CountComparison | null): Conflict | null {
  if (!found || found.before === 0) return null;
  const { before, after, ...shown } = found;
  const sides = { before: `${before} times for concurrent requests`, after: `${after} times` };
  return { what: 'effect-repeated', place, ...sides, ...shown };
}

/** Counted downwards. In most bursts: a call may come after its answer, and after the burst. */
function missingEffect(place: string, found: CountComparison | null): Conflict | null {
  if (!found || found.shows < disagreementsMin) return null;
  const { before, after, ...shown } = found;
  const sides = { before: `${-before} times for concurrent requests`, after: `${-after} times` };
  return { what: 'effect-missing', place, ...sides, ...shown };
}

interface CountComparison extends Pick<Conflict, 'burst' | 'shows' | 'isShownBy'> {
  readonly before: number;
  readonly after: number;
}

function compareCounts(
  control: readonly Burst[],
  candidate: readonly Burst[],
  count: (burst: Burst) => number,
): CountComparison | null {
  const counts = new Set(control.map(count));
  const [before = 0] = counts;
  const isShownBy = (burst: Burst): boolean => count(burst) > before;
  const shows = candidate.filter(isShownBy);
  const [burst] = shows;
  return counts.size === 1 && burst
    ? { before, after: count(burst), burst, shows: shows.length, isShownBy }
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
