import { expect, test } from 'vitest';
import { roundDown, roundUp } from './round.ts';

test.each([
  [0, 0, 0],
  [1, 1, 1],
  [7, 5, 10],
  [120, 100, 200],
  [8_700, 5_000, 10_000],
  [0.3, 0, 1],
  [-7, -10, -5],
])('rounds %d down to %d and up to %d', (value, down, up) => {
  expect([roundDown(value), roundUp(value)]).toEqual([down, up]);
});
