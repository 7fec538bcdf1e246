import { expect, test } from 'vitest';
import type { Block } from './block.ts';
import { cpuDifference, findCpuIncrease } from './cpu-increase.ts';
import type { BlockPair } from './degradation.ts';

/** Ten requests that took so much each. */
const block = (clients: number, us: number): Block =>
  ({ clients, samples: Array.from({ length: 10 }), cpuNs: [5_000, us * 10_000] }) as never;
const pairs = (clients: number, ...us: readonly [number, number][]): BlockPair[] =>
  us.map(([before, after]) => ({
    control: block(clients, before),
    candidate: block(clients, after),
  }));
const atFirst = pairs(4, [900, 950], [900, 950], [900, 950]);

test.each<[string, BlockPair[], boolean]>([
  [
    'found if higher in each pair of blocks',
    pairs(24, [900, 1_500], [1_000, 1_400], [900, 1_600]),
    true,
  ],
  ['not found if equal in one pair', pairs(24, [900, 1_500], [1_300, 1_400], [900, 1_600]), false],
  ['not found if two processes may differ as much', pairs(24, [900, 1_150], [900, 1_140]), false],
  ['not found if negligible', pairs(24, [60, 120], [60, 130]), false],
])('an increase of CPU time with the most clients is %s', (_, last, isFound) => {
  const increase = findCpuIncrease([...atFirst, ...last], 2);
  expect(increase !== null).toBe(isFound);
  if (increase) expect(increase.index).toBe(1);
});

test('an increase of CPU time with few clients only is not found', () => {
  const early = pairs(4, [900, 2_000], [900, 2_000]);
  expect(findCpuIncrease([...early, ...pairs(24, [900, 900])], 2)).toBeNull();
  expect(findCpuIncrease([], 2)).toBeNull();
});

test('an increase of CPU time names the service, and says whether it grows', () => {
  const grown = findCpuIncrease(
    [...atFirst, ...pairs(24, [900, 1_500], [900, 1_500], [900, 1_500])],
    2,
  );
  expect(grown && cpuDifference(grown, ['pricing', 'validation'])).toMatchObject({
    class: 'load',
    what: 'cpu-us',
    service: 'validation',
    before: '900 µs of CPU time for each request with 24 concurrent clients',
    after: '1500 µs; 950 µs at first: it grows with every request',
  });
  const same = findCpuIncrease([...pairs(4, [900, 1_500]), ...pairs(24, [900, 1_500])], 2);
  expect(same && cpuDifference(same, ['pricing', 'validation']).after).toBe('1500 µs');
});
