import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { SensitiveValue } from '../traffic/sensitive-values.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName, routeOf } from './hop-name.ts';
import { newPersonalData } from './personal-data.ts';
import {
  type OutsideAnswer,
  splitRecordings,
  type VersionRecording,
  type VersionRecordings,
} from './recording.ts';
import { findWeakerTransport } from './transport.ts';
import {
  acceptedIn,
  exposedInAnswer,
  exposuresOf,
  uncheckedScripts,
  weaknessesOf,
} from './weaknesses.ts';

/** Where a candidate is easier to attack than the baseline. */
export function findSecurityChanges(recordings: VersionRecordings): Difference[] {
  const { known, candidate } = splitRecordings(recordings);
  const textsOf = (recording: VersionRecording) => exposedTexts(recording, recordings.sensitive);
  return [
    ...newWeaknesses(known.flatMap(answersOf), answersOf(candidate)),
    ...newWeaknesses(known.flatMap(servedBy), servedBy(candidate)),
    ...openedRoutes(known.flatMap(answersOf), answersOf(candidate), internalNames(known)),
    ...newExposures(known.flatMap(textsOf), textsOf(candidate)),
    ...newPersonalData(known, candidate),
    ...newListeners(known, candidate),
    ...findWeakerTransport(recordings),
  ];
}

const answersOf = ({ answers = [] }: VersionRecording): readonly OutsideAnswer[] => answers;

const servedBy = ({ served = [] }: VersionRecording): readonly OutsideAnswer[] => served;

function routeName({ service, method, path }: OutsideAnswer): string {
  return `outside → ${service} ${method} ${routeOf(path)}`;
}

const security = { class: 'security', severity: 'fail' } as const;

function newWeaknesses(
  known: readonly OutsideAnswer[],
  now: readonly OutsideAnswer[],
): Difference[] {
  const before = Map.groupBy(known, routeName);
  return [...Map.groupBy(now, routeName)].flatMap(([route, answers]) => {
    const were = before.get(route);
    if (!were) return [];
    const had = new Set(were.flatMap(exposedInAnswer));
    const weaker = answers.flatMap((answer) => weakerThan(were.filter(isLike(answer)), answer));
    const exposed = answers.flatMap(exposedInAnswer).filter((one) => !had.has(one));
    return [...new Set([...weaker, ...exposed])].map((weakness) => ({
      ...security,
      what: 'weakened',
      service: (answers[0] as OutsideAnswer).service,
      hop: route,
      place: null,
      which: weakness,
      before: 'not so',
      after: weakness,
      examples: { before: null, after: null },
      confidence: certaintyOf(were.length),
    }));
  });
}

/** Answers of another status class have other headers for good reasons. */
function weakerThan(were: readonly OutsideAnswer[], answer: OutsideAnswer): string[] {
  if (were.length === 0) return [];
  const had = new Set(were.flatMap(acceptedIn));
  const weaker = weaknessesOf(answer).filter((one) => !had.has(one));
  return [...weaker, ...uncheckedScripts(were, answer)];
}

function isLike({ status }: OutsideAnswer): (other: OutsideAnswer) => boolean {
  return (other) => Math.floor(other.status / 100) === Math.floor(status / 100);
}

/** Routes for operators, which should not be reachable from outside. */
const internal =
  /\/(?:internal|admin|debug|metrics|actuator|env|config|heap|profile|pprof|status)\b/i;

/** The first part of paths that services call and nobody outside does. */
function internalNames(known: readonly VersionRecording[]): ReadonlySet<string> {
  const hops = known.flatMap((one) => one.hops);
  const outside = new Set(hops.filter(({ from }) => from === null).map(firstName));
  const inside = hops.filter(({ from, instance }) => from !== null && instance !== 'external');
  return new Set(inside.map(firstName).filter((name) => name !== '' && !outside.has(name)));
}

function firstName({ path }: { path: string }): string {
  return path.split(/[/?]/)[1] ?? '';
}

function openedRoutes(
  known: readonly OutsideAnswer[],
  now: readonly OutsideAnswer[],
  inside: ReadonlySet<string>,
): Difference[] {
  const asked = (answer: OutsideAnswer): string =>
    `${routeName(answer)} ${credentialsText(answer)}`;
  const before = Map.groupBy(known, asked);
  return [...Map.groupBy(now.filter(isGood), asked)].flatMap(([name, [answer]]) => {
    const were = before.get(name) ?? [];
    if (!answer || were.length === 0 || were.some(isGood)) return [];
    // To somebody else, what is theirs does not exist.
    const refusals = answer.as === undefined ? [401, 403] : [401, 403, 404];
    const wasRefused = were.every(({ status }) => refusals.includes(status));
    const isExposed = wasRefused || internal.test(answer.path) || inside.has(firstName(answer));
    return [
      {
        ...security,
        what: wasRefused ? 'refusal-lost' : 'route-exposed',
        service: answer.service,
        hop: routeName(answer),
        place: credentialsText(answer),
        before: String(were[0]?.status),
        after: String(answer.status),
        examples: { before: null, after: outlineOf(answer.body) },
        severity: isExposed ? 'fail' : 'notice',
        confidence: certaintyOf(were.length),
      } as const,
    ];
  });
}

function credentialsText({ hasCredentials, isWrong = false, as }: OutsideAnswer): string {
  if (as !== undefined) return `asked ${as}`;
  return `asked ${isWrong ? 'with wrong' : hasCredentials ? 'with' : 'without'} credentials`;
}

const fieldsMax = 20;

/** Only names of fields: the values may be everything that a service must keep secret. */
function outlineOf(body: string): Json {
  try {
    const value = JSON.parse(body) as Json;
    if (isJsonObject(value)) return { fields: Object.keys(value).slice(0, fieldsMax) };
  } catch {
    // Not JSON.
  }
  return `${body.length} characters`;
}

function isGood({ status }: { status: number }): boolean {
  return status >= 200 && status < 300;
}

/** Cached: each answer is compared with every other round. */
const exposedBy = new WeakMap<Hop, readonly string[]>();

function exposedByHop(hop: Hop, sensitive: readonly SensitiveValue[]): readonly string[] {
  const known = exposedBy.get(hop) ?? exposedIn(JSON.stringify(hop.responseBody), sensitive);
  exposedBy.set(hop, known);
  return known;
}

function exposedIn(text: string, sensitive: readonly SensitiveValue[]): string[] {
  const exposed = exposuresOf(text);
  if (exposed.length > 0) return exposed;
  const carried = sensitive.filter(({ value }) => text.includes(value));
  return [...new Set(carried.map(({ field }) => `what a request carried in ${field}`))];
}

/** What a text exposes, and its place. */
interface ExposedText {
  readonly place: string;
  readonly service: string;
  readonly hop: string | null;
  readonly exposed: readonly string[];
}

function exposedTexts(
  { hops, logs = [] }: VersionRecording,
  sensitive: readonly SensitiveValue[] = [],
): ExposedText[] {
  const answered = hops.filter(({ responseBody }: Hop) => responseBody !== null);
  return [
    ...answered.map((hop) => ({
      place: `the answer of ${hopName(hop)}`,
      service: hop.to,
      hop: hopName(hop),
      exposed: exposedByHop(hop, sensitive),
    })),
    // A stack trace belongs in a log, a secret does not.
    ...logs.map(({ service, text }) => ({
      place: 'the log',
      service,
      hop: null,
      exposed: exposedIn(text, sensitive).filter((what) => what !== 'a stack trace'),
    })),
  ];
}

function newExposures(known: readonly ExposedText[], now: readonly ExposedText[]): Difference[] {
  const had = new Set(known.flatMap(exposedAt));
  const found = new Map(
    now.flatMap((text) => exposedAt(text).map((name) => [name, text] as const)),
  );
  return [...found]
    .filter(([name]) => !had.has(name))
    .map(([name, { service, hop, place }]) => ({
      ...security,
      what: 'exposed',
      service,
      hop,
      place,
      which: name,
      before: 'not there',
      after: name.slice(name.lastIndexOf('\n') + 1),
      examples: { before: null, after: null },
      confidence: certaintyOf(known.length),
    }));
}

function exposedAt({ place, service, exposed }: ExposedText): string[] {
  return exposed.map((what) => `${service}\n${place}\n${what}`);
}

function newListeners(
  known: readonly VersionRecording[],
  { listeners = [] }: VersionRecording,
): Difference[] {
  const nameOf = ({ service, address, port }: (typeof listeners)[number]): string =>
    `${service} on ${address} ${port}`;
  const before = new Set(known.flatMap((one) => one.listeners ?? []).map(nameOf));
  // Without a scan of the baseline, nothing is known to be new.
  if (known.some((one) => one.listeners === undefined)) return [];
  return listeners
    .filter((listener) => !before.has(nameOf(listener)))
    .map((listener) => ({
      ...security,
      what: 'port-opened',
      service: listener.service,
      hop: null,
      place: listener.port === 0 ? 'any port' : `port ${listener.port}`,
      before: 'closed',
      after: `open on ${listener.address}`,
      examples: { before: null, after: null },
      confidence: 0.95,
    }));
}
