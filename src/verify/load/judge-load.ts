import type { Block } from './block.ts';
import { quantile } from './service-load.ts';

/** Blocks of both versions, one right after the other, with as many clients. */
export interface BlockPair {
  readonly control: Block;
  readonly candidate: Block;
}

/** What a change does to the system under load. */
export interface Strain {
  readonly what: 'p95-ms' | 'errors';
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

/** Pure: what is worse in these pairs, all with as many clients; in each of them, or it is not. */
export function findStrain(pairs: readonly BlockPair[]): Strain | null {
  if (pairs.length === 0) return null;
  return findErrors(pairs) ?? findSlowness(pairs);
}

/** Only where the control had none, or far fewer: under load a system may well refuse some. */
function findErrors(pairs: readonly BlockPair[]): Strain | null {
  const [before, after] = [sumOf(pairs, 'control'), sumOf(pairs, 'candidate')];
  const inMost = pairs.filter((pair) => errorsOf(pair.candidate) > errorsOf(pair.control)).length;
  if (after < errorsMin || after < 5 * before || inMost * 3 < pairs.length * 2) return null;
  return { what: 'errors', clients: clientsOf(pairs), before, after };
}

function findSlowness(pairs: readonly BlockPair[]): Strain | null {
  const isSlower = ({ control, candidate }: BlockPair): boolean =>
    p95Of([candidate]) > ratioInEach * p95Of([control]) + msMin;
  const [before, after] = [
    p95Of(pairs.map(({ control }) => control)),
    p95Of(pairs.map(({ candidate }) => candidate)),
  ];
  if (!pairs.every(isSlower) || after < ratioInAll * before) return null;
  return { what: 'p95-ms', clients: clientsOf(pairs), before, after };
}

function p95Of(blocks: readonly Block[]): number {
  return quantile(
    blocks.flatMap(({ samples }) => samples.map(({ ms }) => ms)),
    0.95,
  );
}

function errorsOf({ samples }: Block): number {
  return samples.filter(({ isError }) => isError).length;
}

function sumOf(pairs: readonly BlockPair[], side: keyof BlockPair): number {
  return pairs.reduce((total, pair) => total + errorsOf(pair[side]), 0);
}

function clientsOf([first]: readonly BlockPair[]): number {
  return first?.control.clients ?? 0;
}

/** A process that keeps what it was asked. */
export interface Leak {
  /** Which of the changed services. */
  readonly index: number;
  /** By request. */
  readonly beforeBytes: number;
  readonly afterBytes: number;
  readonly requests: number;
}

const leakBytesMin = 16 * 1024;
const leakTotalBytesMin = 24 * 1024 * 1024;

/**
 * Pure: whether a service grows with every request where it did not before. The first blocks do not
 * count: until a heap has its size, any process grows.
 */
export function findLeak(pairs: readonly BlockPair[], services: number): Leak | null {
  for (let index = 0; index < services; index++) {
    const before = growthOf(
      pairs.map(({ control }) => control),
      index,
    );
    const after = growthOf(
      pairs.map(({ candidate }) => candidate),
      index,
    );
    const more = after.bytesPerRequest - Math.max(0, before.bytesPerRequest);
    const isLeak = more > leakBytesMin && more * after.requests > leakTotalBytesMin;
    if (!isLeak || after.isShrinking) continue;
    return {
      index,
      beforeBytes: Math.max(0, before.bytesPerRequest),
      afterBytes: after.bytesPerRequest,
      requests: after.requests,
    };
  }
  return null;
}

interface Growth {
  readonly bytesPerRequest: number;
  readonly requests: number;
  /** A collection has given back most of it: what grows like this does not leak. */
  readonly isShrinking: boolean;
}

function growthOf(blocks: readonly Block[], index: number): Growth {
  const later = blocks.slice(Math.floor(blocks.length / 3));
  const points = later.map(({ sent, residentBytes }) => [sent, residentBytes[index] ?? 0] as const);
  const [first, last] = [points[0] ?? [0, 0], points.at(-1) ?? [0, 0]];
  const most = Math.max(...points.map(([, bytes]) => bytes));
  return {
    bytesPerRequest: medianSlope(points),
    requests: last[0] - first[0],
    isShrinking: most - last[1] > (most - first[1]) / 2,
  };
}

/** Of all pairs of points (Theil and Sen): a single collection of garbage does not bend it. */
function medianSlope(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([sent, bytes], at) =>
    points.slice(at + 1).map(([later, more]) => (more - bytes) / Math.max(1, later - sent)),
  );
  return quantile(slopes, 0.5);
}
