/** Numbers below a bound, the same for the same seed: a projection may not draw real randomness. */
export type DrawBelow = (bound: number) => number;

/** Mulberry32: 32 bits of state, good enough to shuffle some hundred labels. */
export function seededDraws(seed: number): DrawBelow {
  let state = seed | 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * bound);
  };
}
