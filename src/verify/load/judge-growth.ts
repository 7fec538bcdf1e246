import type { Block } from './block.ts';
import type { BlockPair } from './judge-load.ts';
import { quantile } from './service-load.ts';

/** A process that keeps what it was asked. */
export interface Leak {
  /** Which of the changed services. */
  readonly index: number;
  /** Whether garbage was taken out first: then it is no guess. */
  readonly isCertain: boolean;
  /** By request. */
  readonly beforeBytes: number;
  readonly afterBytes: number;
  readonly requests: number;
}

/** What is read of a process, and how much more of it matters. */
interface Gauge {
  readonly isCertain: boolean;
  readonly bytesMin: number;
  readonly totalBytesMin: number;
  read(block: Block, index: number): number | null;
}

/**
 * Without garbage, two processes of the same code grow alike but for what they compile and keep
 * ready. With it, they may differ by 30 MB until a heap has found its size.
 */
const gauges: readonly Gauge[] = [
  {
    isCertain: true,
    bytesMin: 1_024,
    totalBytesMin: 1024 * 1024,
    read: ({ held }, index) => held.told[index]?.heldBytes ?? null,
  },
  {
    isCertain: false,
    bytesMin: 16 * 1024,
    totalBytesMin: 24 * 1024 * 1024,
    read: ({ held }, index) => held.residentBytes[index] ?? null,
  },
];

/** Pure: whether a service grows with every request where it did not before. */
export function findLeak(pairs: readonly BlockPair[], services: number): Leak | null {
  for (let index = 0; index < services; index++) {
    const leak = leakOf(pairs, index);
    if (leak) return leak;
  }
  return null;
}

/** By the first gauge that tells anything of this service. */
function leakOf(pairs: readonly BlockPair[], index: number): Leak | null {
  const [control, candidate] = [pairs.map((one) => one.control), pairs.map((one) => one.candidate)];
  const gauge = gauges.find(({ read }) =>
    [...control, ...candidate].every((block) => read(block, index) !== null),
  );
  if (!gauge) return null;
  const before = growthOf(control, index, gauge);
  const after = growthOf(candidate, index, gauge);
  const beforeBytes = Math.max(0, before.bytesPerRequest);
  const more = after.bytesPerRequest - beforeBytes;
  const isLeak = more > gauge.bytesMin && more * after.requests > gauge.totalBytesMin;
  if (!isLeak || after.isShrinking || more < beforeBytes) return null;
  const { isCertain } = gauge;
  const { bytesPerRequest: afterBytes, requests } = after;
  return { index, isCertain, beforeBytes, afterBytes, requests };
}

interface Growth {
  readonly bytesPerRequest: number;
  readonly requests: number;
  /** Most of it was given back: what grows like this does not leak. */
  readonly isShrinking: boolean;
}

/** The first blocks do not count: until all is compiled and connected, any process grows. */
function growthOf(blocks: readonly Block[], index: number, { read }: Gauge): Growth {
  const later = blocks.slice(Math.floor(blocks.length / 3));
  const points = later.map((block) => [block.sent, read(block, index) ?? 0] as const);
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
