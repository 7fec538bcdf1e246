import type { Difference } from '../compare/index.ts';
import type { Block } from './block.ts';
import type { BlockPair } from './degradation.ts';

/** A service that needs more memory, however many requests it serves. */
interface MemoryIncrease {
  /** Which of the changed services. */
  readonly index: number;
  readonly beforeBytes: number;
  readonly afterBytes: number;
}

interface MemoryGauge {
  readonly ratioMin: number;
  readonly bytesMin: number;
  read(block: Block, index: number): number | null;
}

const mebibyte = 1_048_576;

/**
 * Without garbage, two processes of the same code need nearly the same. Resident memory of the same
 * code differs by some 30 MB, depending on when garbage was collected.
 */
const gauges: readonly MemoryGauge[] = [
  {
    ratioMin: 1.25,
    bytesMin: 16 * mebibyte,
    read: ({ processes }, index) => processes.readings[index]?.heldBytes ?? null,
  },
  {
    ratioMin: 1.5,
    bytesMin: 48 * mebibyte,
    read: ({ processes }, index) => processes.residentBytes[index] ?? null,
  },
];

/** Pure: the first service that always needs far more. */
export function findMemoryIncrease(
  pairs: readonly BlockPair[],
  services: number,
): MemoryIncrease | null {
  for (let index = 0; index < services; index++) {
    const increase = increaseOf(pairs, index);
    if (increase) return increase;
  }
  return null;
}

/** The least that the candidate ever needs, against the most that the control ever needs. */
function increaseOf(pairs: readonly BlockPair[], index: number): MemoryIncrease | null {
  const blocks = pairs.flatMap(({ control, candidate }) => [control, candidate]);
  const gauge = gauges.find(({ read }) => blocks.every((block) => read(block, index) !== null));
  if (!gauge || pairs.length === 0) return null;
  const bytes = (side: keyof BlockPair): number[] =>
    pairs.map((pair) => gauge.read(pair[side], index) ?? 0);
  const [beforeBytes, afterBytes] = [
    Math.max(...bytes('control')),
    Math.min(...bytes('candidate')),
  ];
  const isMore =
    afterBytes > gauge.ratioMin * beforeBytes && afterBytes - beforeBytes > gauge.bytesMin;
  // Not measured at all.
  if (beforeBytes === 0) return null;
  return isMore ? { index, beforeBytes, afterBytes } : null;
}

export function memoryDifference(
  { index, beforeBytes, afterBytes }: MemoryIncrease,
  services: readonly string[],
): Difference {
  return {
    class: 'signal',
    what: 'memory-bytes',
    service: services[index] ?? '',
    hop: null,
    place: null,
    before: `at most ${megabytes(beforeBytes)}`,
    after: `at least ${megabytes(afterBytes)}, whatever it serves`,
    examples: { before: beforeBytes, after: afterBytes },
    severity: 'fail',
    confidence: 0.99,
  };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MB`;
}
