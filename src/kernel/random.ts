import { randomFillSync } from 'node:crypto';

/** Randomness is a parameter: a simulation passes a seeded source and can be run again. */
export type RandomBytes = (count: number) => Uint8Array;

const poolBytes = 8 * 1024;
let pool = new Uint8Array(0);
let used = 0;

/** One system call fills thousands of draws; asking for 16 bytes each time costs more. */
export const systemRandom: RandomBytes = (count) => {
  if (count > poolBytes) return randomFillSync(new Uint8Array(count));
  if (used + count > pool.length) {
    pool = randomFillSync(new Uint8Array(poolBytes));
    used = 0;
  }
  used += count;
  return pool.slice(used - count, used);
};
