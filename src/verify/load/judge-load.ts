import { routeOf } from '../compare/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import type { Block } from './block.ts';
import { quantile } from './service-load.ts';

/** Blocks of both versions, one right after the other, with as many clients. */
export interface BlockPair {
  readonly control: Block;
  readonly candidate: Block;
}

/** What a change does to the system under load. */
export interface Strain {
  readonly what: 'p95-ms' | 'median-ms' | 'errors';
  /** Which request, where it is one of many: `POST /orders`. */
  readonly request: string | null;
  readonly clients: number;
  readonly before: number;
  readonly after: number;
}

/** So much slower in every pair of blocks is no chance; and in all of them together, more. */
const ratioInEach = 1.5;
const ratioInAll = 2;
/** Less than this nobody feels. */
const msMin = 20;
const errorsMin = 3;
/** Of one request in one block: the middle of fewer is no middle. */
const samplesMin = 6;

/** Pure: what is worse in these pairs, all with as many clients; the worst comes first. */
export function findStrains(pairs: readonly BlockPair[]): Strain[] {
  if (pairs.length === 0) return [];
  const whole = [findErrors(pairs), findSlowness(pairs)].filter((one) => one !== null);
  return [...whole, ...findSlowRequests(pairs)];
}

/**
 * Whether another start gives in the same way at the same place: errors of one start and slowness
 * of another are two things that were seen once each.
 */
export function isAgain({ what, request }: Strain, before: readonly Strain[]): boolean {
  return before.some((one) => one.what === what && one.request === request);
}

/** Only where the control had none, or far fewer: under load a system may well refuse some. */
function findErrors(pairs: readonly BlockPair[]): Strain | null {
  const [before, after] = [sumOf(pairs, 'control'), sumOf(pairs, 'candidate')];
  const inMost = pairs.filter((pair) => errorsOf(pair.candidate) > errorsOf(pair.control)).length;
  if (after < errorsMin || after < 5 * before || inMost * 3 < pairs.length * 2) return null;
  return { what: 'errors', request: null, clients: clientsOf(pairs), before, after };
}

/** By one client after the other: rare ones need not be in most of the blocks. */
export function findErrorsAlone(pairs: readonly BlockPair[]): Strain | null {
  const [before, after] = [sumOf(pairs, 'control'), sumOf(pairs, 'candidate')];
  if (before > 0 || after < errorsMin) return null;
  return { what: 'errors', request: null, clients: clientsOf(pairs), before, after };
}

function findSlowness(pairs: readonly BlockPair[]): Strain | null {
  const slow = compareTimes(pairs, timesOf, 0.95);
  return slow && { what: 'p95-ms', request: null, clients: clientsOf(pairs), ...slow };
}

/** One of many requests hardly moves what all of them take together: each is looked at as well. */
function findSlowRequests(pairs: readonly BlockPair[]): Strain[] {
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
      ? [{ what: 'median-ms', request: tellRequest(request), clients, ...slow } as const]
      : [];
  });
  return found.toSorted((a, b) => b.after / b.before - a.after / a.before);
}

function compareTimes(
  pairs: readonly BlockPair[],
  timesIn: (block: Block) => readonly number[],
  share: number,
): Pick<Strain, 'before' | 'after'> | null {
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

export function tellRequest({ method, path }: ScenarioRequest): string {
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
