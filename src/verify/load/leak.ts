import type { Difference } from '../compare/index.ts';
import type { Block } from './block.ts';
import type { BlockPair } from './degradation.ts';
import { quantile } from './service-load.ts';

/** A service whose memory grows with every request. */
interface Leak {
  /** Which of the changed services. */
  readonly index: number;
  /** Whether garbage was collected before each reading. */
  readonly isCertain: boolean;
  /** Growth by request. */
  readonly beforeBytes: number;
  readonly afterBytes: number;
  readonly requests: number;
}

/** How memory is read, and how much more of it matters. */
interface MemoryGauge {
  readonly isCertain: boolean;
  readonly bytesMin: number;
  readonly totalBytesMin: number;
  read(block: Block, index: number): number | null;
}

/**
 * Without garbage, two processes of the same code grow alike except for compiled code and caches.
 * With garbage they may differ by 30 MB until the heap has found its size.
 */
const gauges: readonly MemoryGauge[] = [
  {
    isCertain: true,
    bytesMin: 1_024,
    totalBytesMin: 1024 * 1024,
    read: ({ processes }, index) => processes.readings[index]?.heldBytes ?? null,
  },
  {
    isCertain: false,
    bytesMin: 16 * 1024,
    totalBytesMin: 24 * 1024 * 1024,
    read: ({ processes }, index) => processes.residentBytes[index] ?? null,
  },
];

/** Pure: the first service that grows with every request, and did not before. */
export function findLeak(pairs: readonly BlockPair[], services: number): Leak | null {
  for (let index = 0; index < services; index++) {
    const leak = leakOf(pairs, index);
    if (leak) return leak;
  }
  return null;
}

/** By the first gauge that has readings of this service. */
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
  /** Most of it was released again, so it is not a leak. */
  readonly isShrinking: boolean;
}

/** Without the first blocks: every process grows until it has compiled and connected. */
function growthOf(blocks: readonly Block[], index: number, { read }: MemoryGauge): Growth {
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

/** Of all pairs of points (Theil and Sen): one garbage collection does not affect it. */
function medianSlope(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([sent, bytes], at) =>
    points.slice(at + 1).map(([later, more]) => (more - bytes) / Math.max(1, later - sent)),
  );
  return quantile(slopes, 0.5);
}

export function leakDifference(leak: Leak, services: readonly string[]): Difference {
  const { index, beforeBytes, afterBytes, requests } = leak;
  return {
    class: 'signal',
    what: 'heap-growth-bytes',
    service: services[index] ?? '',
    hop: null,
    place: null,
    before: `${kilobytes(beforeBytes)} more with each request`,
    after: `${kilobytes(afterBytes)} more with each of ${requests} requests, without garbage`,
    examples: { before: Math.round(beforeBytes), after: Math.round(afterBytes) },
    severity: 'fail',
    confidence: 0.99,
  };
}

export function formatLeak(leak: Leak, services: readonly string[]): string {
  const { index, beforeBytes, afterBytes, requests, isCertain } = leak;
  const growth = `${kilobytes(beforeBytes)} → ${kilobytes(afterBytes)} for each of ${requests} requests`;
  const doubt = isCertain ? 'in one of two starts' : 'a leak, or a heap that is not full yet';
  return `memory of ${services[index] ?? ''} grew by ${growth}: ${doubt}`;
}

function kilobytes(bytes: number): string {
  const kb = bytes / 1_024;
  return `${kb < 10 ? kb.toFixed(1) : Math.round(kb)} kB`;
}
