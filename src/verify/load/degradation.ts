import { routeOf } from '../compare/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import type { Block } from './block.ts';
import { quantile } from './service-load.ts';

/** Blocks of both versions, one right after the other, with the same number of clients. */
export interface BlockPair {
  readonly control: Block;
  readonly candidate: Block;
}

/** How a change makes the system worse under load. */
export interface Degradation {
  readonly what: 'p95-ms' | 'median-ms' | 'errors' | 'answers';
  /** The request if only one is slow: `POST /orders`; null for all together. */
  readonly request: string | null;
  readonly clients: number;
  readonly before: number;
  readonly after: number;
  /** What only the change answers, if answers are worse: `status=refused`. */
  readonly answer?: string;
}

/** How much slower every pair of blocks must be, and all pairs together. */
const ratioInEach = 1.5;
const ratioInAll = 2;
/** Nobody notices less than this. */
const msMin = 20;
const errorsMin = 3;
/** Of one request in one block; fewer have no meaningful median. */
const samplesMin = 6;

/** Pure: what is worse in pairs with the same number of clients, the worst first. */
export function findDegradations(pairs: readonly BlockPair[]): Degradation[] {
  if (pairs.length === 0) return [];
  const whole = [findErrors(pairs), findSlowness(pairs)].filter((one) => one !== null);
  return [...whole, ...findOtherAnswers(pairs), ...findSlowRequests(pairs)];
}

/**
 * Whether another start shows the same degradation at the same place: errors of one start and
 * slowness of another are two different things that were seen once each.
 */
export function isSameDegradation(
  { what, request, answer }: Degradation,
  before: readonly Degradation[],
): boolean {
  return before.some(
    (one) => one.what === what && one.request === request && one.answer === answer,
  );
}

/** Only if the control had none or far fewer: any system may refuse some requests under load. */
function findErrors(pairs: readonly BlockPair[]): Degradation | null {
  const [before, after] = [sumOf(pairs, 'control'), sumOf(pairs, 'candidate')];
  const inMost = pairs.filter((pair) => errorsOf(pair.candidate) > errorsOf(pair.control)).length;
  if (after < errorsMin || after < 5 * before || inMost * 3 < pairs.length * 2) return null;
  return { what: 'errors', request: null, clients: clientsOf(pairs), before, after };
}

/** With a single client; rare errors need not be in most of the blocks. */
export function findErrorsAlone(pairs: readonly BlockPair[]): Degradation | null {
  const [before, after] = [sumOf(pairs, 'control'), sumOf(pairs, 'candidate')];
  if (before > 0 || after < errorsMin) return null;
  return { what: 'errors', request: null, clients: clientsOf(pairs), before, after };
}

/** Fewer may be chance, such as an order that is still pending. */
const answersMin = 5;
/** A field with more different words on the control may have any. */
const wordsMax = 4;

/** Words and truth values that the control never answers to the same request. */
function findOtherAnswers(pairs: readonly BlockPair[]): Degradation[] {
  const requests = new Set(pairs[0]?.control.samples.map(({ request }) => request));
  const wordsOf = (side: keyof BlockPair, wanted: ScenarioRequest): string[] =>
    pairs
      .flatMap((pair) => pair[side].samples)
      .flatMap(({ request, words }) => (request === wanted ? words : []));
  return [...requests].flatMap((request) => {
    const known = new Set(wordsOf('control', request));
    const places = Map.groupBy(known, placeOf);
    const isNew = (word: string): boolean => {
      const usual = places.get(placeOf(word))?.length ?? 0;
      return usual > 0 && usual <= wordsMax && !known.has(word);
    };
    const found = Map.groupBy(wordsOf('candidate', request).filter(isNew), (word) => word);
    return [...found]
      .filter(([, { length }]) => length >= answersMin)
      .map(([answer, { length }]) => ({
        what: 'answers' as const,
        request: formatRequest(request),
        clients: clientsOf(pairs),
        before: 0,
        after: length,
        answer,
      }));
  });
}

function placeOf(word: string): string {
  return word.slice(0, word.indexOf('='));
}

function findSlowness(pairs: readonly BlockPair[]): Degradation | null {
  const slow = compareTimes(pairs, timesOf, 0.95);
  return slow && { what: 'p95-ms', request: null, clients: clientsOf(pairs), ...slow };
}

/** One slow request hardly changes the time of all together, so each is compared, too. */
function findSlowRequests(pairs: readonly BlockPair[]): Degradation[] {
  const requests = new Set(pairs[0]?.control.samples.map(({ request }) => request));
  const clients = clientsOf(pairs);
  const found = [...requests].flatMap((request) => {
    const own = (block: Block): number[] => timesOf(block, request);
    const isEnough = pairs.every(
      ({ control, candidate }) =>
        Math.min(own(control).length, own(candidate).length) >= samplesMin,
    );
    const slow = isEnough ? compareTimes(pairs, own, 0.5) : null;
    return slow
      ? [{ what: 'median-ms', request: formatRequest(request), clients, ...slow } as const]
      : [];
  });
  return found.toSorted((a, b) => b.after / b.before - a.after / a.before);
}

function compareTimes(
  pairs: readonly BlockPair[],
  timesIn: (block: Block) => readonly number[],
  share: number,
): Pick<Degradation, 'before' | 'after'> | null {
  const isSlower = ({ control, candidate }: BlockPair): boolean =>
    quantile(timesIn(candidate), share) > ratioInEach * quantile(timesIn(control), share) + msMin;
  const before = quantile(
    pairs.flatMap(({ control }) => timesIn(control)),
    share,
  );
  const after = quantile(
    pairs.flatMap(({ candidate }) => timesIn(candidate)),
    share,
  );
  return pairs.every(isSlower) && after >= ratioInAll * before ? { before, after } : null;
}

function timesOf({ samples }: Block, request?: ScenarioRequest): number[] {
  const own = request ? samples.filter((one) => one.request === request) : samples;
  return own.map(({ ms }) => ms);
}

export function formatRequest({ method, path }: ScenarioRequest): string {
  return `${method} ${routeOf(path)}`;
}

export function p95Of(blocks: readonly Block[]): number {
  return quantile(
    blocks.flatMap((block) => timesOf(block)),
    0.95,
  );
}

export function errorsOf({ samples }: Block): number {
  return samples.filter(({ isError }) => isError).length;
}

function sumOf(pairs: readonly BlockPair[], side: keyof BlockPair): number {
  return pairs.reduce((total, pair) => total + errorsOf(pair[side]), 0);
}

function clientsOf([first]: readonly BlockPair[]): number {
  return first?.control.clients ?? 0;
}
