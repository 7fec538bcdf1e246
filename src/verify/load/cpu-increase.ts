import type { Difference } from '../compare/index.ts';
import type { Block } from './block.ts';
import type { BlockPair } from './degradation.ts';

/** A service that needs more CPU time for each request under load. */
interface CpuIncrease {
  /** Which of the changed services. */
  readonly index: number;
  readonly clients: number;
  readonly beforeUs: number;
  readonly afterUs: number;
  /** Of the change with the fewest clients, to see whether it grows. */
  readonly atFirstUs: number;
}

/**
 * Two processes of the same code differ permanently by a tenth or more, so far more is required, in
 * every pair of blocks and on another start.
 */
const ratioInEach = 1.2;
const ratioInAll = 1.3;
/** Less does not matter. */
const usMin = 100;

/** Pure: the first service that needs more for each request with the most clients. */
export function findCpuIncrease(pairs: readonly BlockPair[], services: number): CpuIncrease | null {
  const clients = Math.max(...pairs.map(({ control }) => control.clients));
  const last = pairs.filter(({ control }) => control.clients === clients);
  for (let index = 0; index < services && last.length > 0; index++) {
    const [beforeUs, afterUs] = [usOf(last, 'control', index), usOf(last, 'candidate', index)];
    const isInEach = last.every(
      (pair) =>
        usOf([pair], 'candidate', index) >
        ratioInEach * Math.max(1, usOf([pair], 'control', index)),
    );
    if (!isInEach || afterUs < ratioInAll * beforeUs || afterUs - beforeUs < usMin) continue;
    const atFirstUs = usOf(pairs.slice(0, last.length), 'candidate', index);
    return { index, clients, beforeUs, afterUs, atFirstUs };
  }
  return null;
}

function usOf(pairs: readonly BlockPair[], side: keyof BlockPair, index: number): number {
  const blocks = pairs.map((pair) => pair[side]);
  const requests = sum(blocks, ({ samples }) => samples.length);
  return sum(blocks, ({ cpuNs }) => cpuNs[index] ?? 0) / 1_000 / Math.max(1, requests);
}

function sum(blocks: readonly Block[], read: (block: Block) => number): number {
  return blocks.reduce((total, block) => total + read(block), 0);
}

const growthMin = 1.5;

export function cpuDifference(increase: CpuIncrease, services: readonly string[]): Difference {
  const { index, clients, beforeUs, afterUs, atFirstUs } = increase;
  const grows = afterUs > growthMin * atFirstUs;
  const growth = grows ? `; ${us(atFirstUs)} at first: it grows with every request` : '';
  return {
    class: 'load',
    what: 'cpu-us',
    service: services[index] ?? '',
    hop: null,
    place: null,
    before: `${us(beforeUs)} of CPU time for each request with ${clients} concurrent clients`,
    after: `${us(afterUs)}${growth}`,
    examples: { before: Math.round(beforeUs), after: Math.round(afterUs) },
    severity: 'fail',
    confidence: 0.99,
  };
}

function us(value: number): string {
  return `${Math.round(value)} µs`;
}
