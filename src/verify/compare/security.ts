import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { exposuresOf } from './exposure.ts';
import { hopName, routeOf } from './hop-name.ts';
import { type Answer, type Recording, type Recordings, wholeOf } from './recording.ts';
import { findWeakerTransport } from './transport.ts';
import { exposedIn, weaknessesOf } from './weaknesses.ts';

/** Where a candidate is easier to attack than the version before it. */
export function findSecurityChanges(recordings: Recordings): Difference[] {
  const { known, candidate } = wholeOf(recordings);
  return [
    ...newWeaknesses(known.flatMap(answersOf), answersOf(candidate)),
    ...newWeaknesses(known.flatMap(servedBy), servedBy(candidate)),
    ...openedRoutes(known.flatMap(answersOf), answersOf(candidate), internalNames(known)),
    ...newExposures(known.flatMap(textsOf), textsOf(candidate)),
    ...newListeners(known, candidate),
    ...findWeakerTransport(recordings),
  ];
}

const answersOf = ({ answers = [] }: Recording): readonly Answer[] => answers;

const servedBy = ({ served = [] }: Recording): readonly Answer[] => served;

function routeName({ service, method, path }: Answer): string {
  return `outside → ${service} ${method} ${routeOf(path)}`;
}

const security = { class: 'security', severity: 'fail' } as const;

function newWeaknesses(known: readonly Answer[], now: readonly Answer[]): Difference[] {
  const before = Map.groupBy(known, routeName);
  return [...Map.groupBy(now, routeName)].flatMap(([route, answers]) => {
    const were = before.get(route);
    if (!were) return [];
    const had = new Set(were.flatMap(exposedIn));
    const weaker = answers.flatMap((answer) => weakerThan(were.filter(isLike(answer)), answer));
    const exposed = answers.flatMap(exposedIn).filter((one) => !had.has(one));
    return [...new Set([...weaker, ...exposed])].map((weakness) => ({
      ...security,
      what: 'weakened',
      service: (answers[0] as Answer).service,
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

/** An answer of another kind has other headers for good reasons: nothing is said of those. */
function weakerThan(were: readonly Answer[], answer: Answer): string[] {
  const had = new Set(were.flatMap(weaknessesOf));
  return were.length === 0 ? [] : weaknessesOf(answer).filter((one) => !had.has(one));
}

function isLike({ status }: Answer): (other: Answer) => boolean {
  return (other) => Math.floor(other.status / 100) === Math.floor(status / 100);
}

/** Ways in that are meant for operators: nobody outside has any business there. */
const internal =
  /\/(?:internal|admin|debug|metrics|actuator|env|config|heap|profile|pprof|status)\b/i;

/** The first part of paths that services have for each other, and nobody outside ever had. */
function internalNames(known: readonly Recording[]): ReadonlySet<string> {
  const hops = known.flatMap((one) => one.hops);
  const outside = new Set(hops.filter(({ from }) => from === null).map(firstName));
  const inside = hops.filter(({ from, instance }) => from !== null && instance !== 'external');
  return new Set(inside.map(firstName).filter((name) => name !== '' && !outside.has(name)));
}

function firstName({ path }: { path: string }): string {
  return path.split(/[/?]/)[1] ?? '';
}

function openedRoutes(
  known: readonly Answer[],
  now: readonly Answer[],
  inside: ReadonlySet<string>,
): Difference[] {
  const asked = (answer: Answer): string => `${routeName(answer)} ${askedHow(answer)}`;
  const before = Map.groupBy(known, asked);
  return [...Map.groupBy(now.filter(isGood), asked)].flatMap(([name, [answer]]) => {
    const were = before.get(name) ?? [];
    if (!answer || were.length === 0 || were.some(isGood)) return [];
    const wasRefused = were.every(({ status }) => status === 401 || status === 403);
    const isExposed = wasRefused || internal.test(answer.path) || inside.has(firstName(answer));
    return [
      {
        ...security,
        what: wasRefused ? 'refusal-lost' : 'route-exposed',
        service: answer.service,
        hop: routeName(answer),
        place: askedHow(answer),
        before: String(were[0]?.status),
        after: String(answer.status),
        examples: { before: null, after: outlineOf(answer.body) },
        severity: isExposed ? 'fail' : 'notice',
        confidence: certaintyOf(were.length),
      } as const,
    ];
  });
}

function askedHow({ hasCredentials, isWrong = false }: Answer): string {
  return `asked ${isWrong ? 'with wrong' : hasCredentials ? 'with' : 'without'} credentials`;
}

const fieldsMax = 20;

/** What was exposed may be all that a service knows: its names tell enough, and no value. */
function outlineOf(body: string): Json {
  try {
    const value = JSON.parse(body) as Json;
    if (isJsonObject(value)) return { fields: Object.keys(value).slice(0, fieldsMax) };
  } catch {
    // Then it is a text.
  }
  return `${body.length} characters`;
}

function isGood({ status }: { status: number }): boolean {
  return status >= 200 && status < 300;
}

/** What one answer gives away: it is compared in every round with every other. */
const exposedBy = new WeakMap<Hop, readonly string[]>();

function exposedByHop(hop: Hop): readonly string[] {
  const known = exposedBy.get(hop) ?? exposuresOf(JSON.stringify(hop.responseBody));
  exposedBy.set(hop, known);
  return known;
}

/** A text that came out somewhere, with the place by which it is compared. */
interface Told {
  readonly place: string;
  readonly service: string;
  readonly hop: string | null;
  readonly exposed: readonly string[];
}

function textsOf({ hops, logs = [] }: Recording): Told[] {
  const answered = hops.filter(({ responseBody }: Hop) => responseBody !== null);
  return [
    ...answered.map((hop) => ({
      place: `the answer of ${hopName(hop)}`,
      service: hop.to,
      hop: hopName(hop),
      exposed: exposedByHop(hop),
    })),
    // A stack trace belongs into a log, a secret does not.
    ...logs.map(({ service, text }) => ({
      place: 'the log',
      service,
      hop: null,
      exposed: exposuresOf(text).filter((what) => what !== 'a stack trace'),
    })),
  ];
}

function newExposures(known: readonly Told[], now: readonly Told[]): Difference[] {
  const had = new Set(known.flatMap(exposedAt));
  const found = new Map(
    now.flatMap((told) => exposedAt(told).map((name) => [name, told] as const)),
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

function exposedAt({ place, service, exposed }: Told): string[] {
  return exposed.map((what) => `${service}\n${place}\n${what}`);
}

function newListeners(known: readonly Recording[], { listeners = [] }: Recording): Difference[] {
  const tell = ({ service, address, port }: (typeof listeners)[number]): string =>
    `${service} on ${address} ${port}`;
  const before = new Set(known.flatMap((one) => one.listeners ?? []).map(tell));
  // Where nobody looked before, nothing is new.
  if (known.some((one) => one.listeners === undefined)) return [];
  return listeners
    .filter((listener) => !before.has(tell(listener)))
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
