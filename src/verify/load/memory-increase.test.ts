import { expect, test } from 'vitest';
import type { Block } from './block.ts';
import type { BlockPair } from './degradation.ts';
import { findMemoryIncrease, memoryDifference } from './memory-increase.ts';

const mb = 1_048_576;
/** After garbage was collected, if there is a debugger in the process. */
const held = (bytes: number): Block =>
  ({ processes: { residentBytes: [bytes * 2], readings: [{ heldBytes: bytes }] } }) as never;
const resident = (bytes: number): Block =>
  ({ processes: { residentBytes: [bytes], readings: [null] } }) as never;
const pairs = (read: (bytes: number) => Block, ...some: readonly [number, number][]): BlockPair[] =>
  some.map(([before, after]) => ({ control: read(before * mb), candidate: read(after * mb) }));

test.each<[string, BlockPair[], boolean]>([
  ['found in memory without garbage', pairs(held, [20, 81], [22, 80], [21, 80]), true],
  ['found in resident memory', pairs(resident, [80, 150], [90, 145]), true],
  ['not found if the control needs as much once', pairs(held, [20, 80], [75, 80]), false],
  ['not found if it is small', pairs(held, [20, 30], [20, 30]), false],
  ['not found if garbage explains it', pairs(resident, [80, 120], [85, 120]), false],
  ['not found without readings', pairs(resident, [0, 0], [0, 0]), false],
  ['not found without load', [], false],
])('more memory is %s', (_, blocks, isFound) => {
  expect(findMemoryIncrease(blocks, 1) !== null).toBe(isFound);
});

test('more memory names the service', () => {
  const found = findMemoryIncrease(pairs(held, [20, 81], [22, 80]), 1);
  expect(found && memoryDifference(found, ['pricing'])).toMatchObject({
    class: 'signal',
    what: 'memory-bytes',
    service: 'pricing',
    before: 'at most 22 MB',
    after: 'at least 80 MB, whatever it serves',
  });
});
