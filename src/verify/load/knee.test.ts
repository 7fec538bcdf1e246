import { expect, test } from 'vitest';
import type { Block } from './block.ts';
import { tellKnee } from './knee.ts';

const block = (clients: number, ms: number, isError = false): Block =>
  ({ clients, samples: [{ id: 'r', ms, isError }] }) as never;

test.each<[string, readonly [number, number, number, boolean][], string | null]>([
  [
    'neither gives',
    [
      [2, 10, 10, false],
      [12, 15, 12, false],
    ],
    null,
  ],
  [
    'the change gives earlier',
    [
      [2, 10, 10, false],
      [6, 12, 30, false],
      [12, 25, 90, false],
    ],
    'saturated at 12 clients at once before, at 6 now',
  ],
  [
    'the change is slow with few clients already',
    [
      [2, 10, 30, false],
      [6, 12, 35, false],
    ],
    'saturated beyond 6 clients at once before, at 2 now',
  ],
  [
    'only the change gives, by errors',
    [
      [2, 10, 10, false],
      [6, 12, 12, true],
    ],
    'saturated beyond 6 clients at once before, at 6 now',
  ],
])('where %s', (_, steps, expected) => {
  const pairs = steps.map(([clients, before, after, isError]) => ({
    control: block(clients, before),
    candidate: block(clients, after, isError),
  }));
  expect(tellKnee(pairs)).toBe(expected);
});
