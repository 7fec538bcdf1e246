import { expect, test } from 'vitest';
import type { Block } from './block.ts';
import type { BlockPair } from './judge-load.ts';
import { findToil, toilDifference } from './judge-toil.ts';

/** Ten requests, of which each took so much. */
const block = (clients: number, us: number): Block =>
  ({ clients, samples: Array.from({ length: 10 }), cpuNs: [5_000, us * 10_000] }) as never;
const pairs = (clients: number, ...us: readonly [number, number][]): BlockPair[] =>
  us.map(([before, after]) => ({
    control: block(clients, before),
    candidate: block(clients, after),
  }));
const atFirst = pairs(4, [900, 950], [900, 950], [900, 950]);

test.each<[string, BlockPair[], boolean]>([
  ['more in each pair of blocks', pairs(24, [900, 1_500], [1_000, 1_400], [900, 1_600]), true],
  ['as much in one of them', pairs(24, [900, 1_500], [1_300, 1_400], [900, 1_600]), false],
  ['less than two processes may differ by', pairs(24, [900, 1_150], [900, 1_140]), false],
  ['less than anybody pays for', pairs(24, [60, 120], [60, 130]), false],
])('CPU time of a service with most clients: %s', (_, last, isFound) => {
  const toil = findToil([...atFirst, ...last], 2);
  expect(toil !== null).toBe(isFound);
  if (toil) expect(toil.index).toBe(1);
});

test('more of it only with few clients, or nothing at all, is none', () => {
  const early = pairs(4, [900, 2_000], [900, 2_000]);
  expect(findToil([...early, ...pairs(24, [900, 900])], 2)).toBeNull();
  expect(findToil([], 2)).toBeNull();
});

test('it is told with whose doing it is, and whether it grows', () => {
  const grown = findToil([...atFirst, ...pairs(24, [900, 1_500], [900, 1_500], [900, 1_500])], 2);
  expect(grown && toilDifference(grown, ['pricing', 'validation'])).toMatchObject({
    class: 'load',
    what: 'cpu-us',
    service: 'validation',
    before: '900 µs of CPU time for each request with 24 clients at once',
    after: '1500 µs; 950 µs at first: it is more with every request',
  });
  const same = findToil([...pairs(4, [900, 1_500]), ...pairs(24, [900, 1_500])], 2);
  expect(same && toilDifference(same, ['pricing', 'validation']).after).toBe('1500 µs');
});
