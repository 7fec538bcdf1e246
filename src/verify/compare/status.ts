import { asAnswered, type Hop, isStruck } from '../../lanes/index.ts';
import { type AlignedCalls, alignCalls, mergeRequests, type ServedCall } from './aligned-calls.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { isSafe } from './hop-name.ts';
import type { VersionRecordings } from './recording.ts';

/** Other statuses for the same requests. */
export function findStatusChanges(recordings: VersionRecordings): Difference[] {
  const aligned = alignCalls(recordings);
  const byName = Map.groupBy(aligned.map(answersOf), ({ name }) => name);
  return mergeRequests(aligned).flatMap((merged) => {
    const all = answersOf(merged);
    const changes = (byName.get(all.name) ?? []).flatMap((answers) => changesIn(answers, all));
    const byMeaning = Map.groupBy(
      changes,
      (one) => `${one.meaning} ${one.which} ${isAdmission(one)}`,
    );
    return [...byMeaning.values()].map((some) => toDifference(some, all));
  });
}

/** The answers at a hop, without injected faults, which are not answers. */
interface Answers {
  readonly name: string;
  readonly baseline: readonly Hop[];
  readonly control: readonly Hop[];
  readonly candidate: readonly Hop[];
}

function answersOf({ name, baseline, control, candidate }: AlignedCalls): Answers {
  const hops = (calls: readonly ServedCall[]): Hop[] =>
    calls.map(({ hop }) => asAnswered(hop)).filter((hop) => !isStruck(hop));
  return { name, baseline: hops(baseline), control: hops(control), candidate: hops(candidate) };
}

/** One answer of another status; `was` is an answer that it replaces. */
interface StatusChange {
  readonly was: Hop;
  readonly is: Hop;
  readonly meaning: Meaning;
  readonly which: string | undefined;
}

type Meaning = 'status-worse' | 'refusal-lost' | 'error-answered' | 'status-changed';

/** What it means that a status of one kind became one of another; 0 is no answer. */
const meanings: Readonly<Record<number, Readonly<Record<number, Meaning>>>> = {
  0: { 2: 'error-answered' },
  2: { 0: 'status-worse', 3: 'status-worse', 4: 'status-worse', 5: 'status-worse' },
  3: { 0: 'status-worse', 4: 'status-worse', 5: 'status-worse' },
  4: { 0: 'status-worse', 2: 'refusal-lost', 3: 'status-worse', 5: 'status-worse' },
  5: { 0: 'status-worse', 2: 'error-answered' },
};

/**
 * If both known runs gave these requests the same statuses, each answer of another status counts.
 * Otherwise only statuses count that the hop never had: how often a client asks is often chance.
 */
function changesIn({ baseline, control, candidate }: Answers, all: Answers): StatusChange[] {
  const known = [...all.baseline, ...all.control];
  const [was] = [...baseline, ...control];
  if (baseline.length === candidate.length && statusesOf(baseline) === statusesOf(control)) {
    const gone = without(baseline, candidate);
    const come = without(candidate, baseline);
    return come.map((is, index) => changeOf(gone[index] as Hop, is, known));
  }
  if (!was) return [];
  const isSteady = [...baseline, ...control].every(({ status }) => status === was.status);
  const isNew = ({ status }: Hop): boolean => known.every((one) => one.status !== status);
  return candidate
    .filter(({ status }) => status !== was.status)
    .map((is) => changeOf(isSteady ? was : likeliest(known), is, known))
    .filter(({ is, meaning }) => (isBetter(meaning) ? isSteady : isNew(is)));
}

function likeliest(known: readonly Hop[]): Hop {
  return known.find(({ status }) => kindOf(status) === 2) ?? (known[0] as Hop);
}

function isBetter(meaning: Meaning): boolean {
  return meaning === 'refusal-lost' || meaning === 'error-answered';
}

function changeOf(was: Hop, is: Hop, known: readonly Hop[]): StatusChange {
  const [before, after] = [kindOf(was.status), kindOf(is.status)];
  const usual = meanings[before]?.[after] ?? 'status-changed';
  const meaning = usual === 'refusal-lost' && !isRefusal(was) ? 'status-changed' : usual;
  const isMore = meaning === 'status-worse' && known.some(({ status }) => status === is.status);
  const which = `${isMore ? 'more ' : ''}${after}xx`;
  return { was, is, meaning, which: meaning === 'refusal-lost' ? undefined : which };
}

/**
 * Not the limit of a rate, which depends on time, and not what a service did not find for another
 * service, which may ask for something else now.
 */
function isRefusal({ status, from }: Hop): boolean {
  return status !== 429 && (status !== 404 || from === null);
}

function statusesOf(hops: readonly Hop[]): string {
  return sortedByStatus(hops)
    .map(({ status }) => status)
    .join();
}

/** The hops of `some` whose statuses `others` has less often. */
function without(some: readonly Hop[], others: readonly Hop[]): Hop[] {
  const left = others.map(({ status }) => status);
  return sortedByStatus(some).filter(({ status }) => {
    const index = left.indexOf(status);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

function sortedByStatus(hops: readonly Hop[]): Hop[] {
  return hops.toSorted((one, other) => one.status - other.status);
}

/** Changes of the same meaning at one hop. */
function toDifference(changes: readonly StatusChange[], all: Answers): Difference {
  const [first] = changes as [StatusChange];
  const { was, is, meaning, which } = first;
  const known = [...all.baseline, ...all.control];
  return {
    class: isAdmission(first) ? 'security' : 'status',
    what: meaning,
    service: is.to,
    hop: all.name,
    place: null,
    ...(which === undefined ? {} : { which }),
    before: formatStatuses(all.baseline.length > 0 ? all.baseline : all.control),
    after: formatStatuses(all.candidate),
    examples: { before: was.responseBody, after: is.responseBody },
    severity: isFailure(first) ? 'fail' : 'notice',
    confidence: certaintyOf(known.length),
  };
}

/** Somebody is let in who was not. */
function isAdmission({ meaning, was }: StatusChange): boolean {
  return meaning === 'refusal-lost' && (was.status === 401 || was.status === 403);
}

function isFailure({ meaning, is }: StatusChange): boolean {
  // Without a fault it mends an error; under one it does without what it needs.
  if (meaning === 'error-answered') return is.faults !== undefined && !isSafe(is);
  return meaning === 'status-worse' || meaning === 'refusal-lost';
}

/** `200 in 2, 404 in 1 of 3`; no answer last. */
function formatStatuses(hops: readonly Hop[]): string {
  const groups = [...Map.groupBy(hops, ({ status }) => status)];
  const sorted = groups.toSorted(([one], [other]) => (one || 1_000) - (other || 1_000));
  const counts = sorted.map(([status, some]) => `${status || 'no answer'} in ${some.length}`);
  return `${counts.join(', ')} of ${hops.length}`;
}

/** 0 is a kind of its own: no answer. */
function kindOf(status: number): number {
  return Math.floor(status / 100);
}
