import { expect, test } from 'vitest';
import type { Block } from './block.ts';
import { formatSaturation } from './saturation.ts';

const block = (clients: number, ms: number, isError = false): Block =>
  ({ clients, samples: [{ id: 'r', ms, isError }] }) as never;

test.each<[string, readonly [number, number, number, boolean][], string | null]>([
  [
    'neither version saturates',
    [
      [2, 10, 10, false],
      [12, 15, 12, false],
    ],
    null,
  ],
  [
    'the change saturates earlier',
    [
      [2, 10, 10, false],
      [6, 12, 30, false],
      [12, 25, 90, false],
    ],
    'saturated at 12 concurrent clients before, at 6 now',
  ],
  [
    'the change is slow with few clients',
    [
      [2, 10, 30, false],
      [6, 12, 35, false],
    ],
    'saturated above 6 concurrent clients before, at 2 now',
  ],
  [
    'only the change has errors',
    [
      [2, 10, 10, false],
      [6, 12, 12, true],
    ],
    'saturated above 6 concurrent clients before, at 6 now',
  ],
])('saturation is compared where %s', (_, steps, expected) => {
  const pairs = steps.map(([clients, before, after, isError]) => ({
    control: block(clients, before),
    candidate: block(clients, after, isError),
  }));
  expect(formatSaturation(pairs)).toBe(expected);
});
