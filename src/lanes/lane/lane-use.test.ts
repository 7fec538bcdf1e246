import { expect, test } from 'vitest';
import type { Lane } from '../api-schema.ts';
import { laneUse } from './lane-use.ts';

const lane = {
  openedAt: 1_000,
  candidates: [{ name: 'a' }, { name: 'b' }, { name: 'gone' }],
} as unknown as Lane;

test('the use of a lane is the sum of its processes, memory times how long it was open', () => {
  const states = new Map([
    ['a', { cpuMs: 300, memoryBytes: 50 * 1_048_576 }],
    ['b', { cpuMs: 200.4, memoryBytes: 10 * 1_048_576 }],
    ['other', { cpuMs: 9_999, memoryBytes: 1 }],
    ['gone', { cpuMs: null, memoryBytes: null }],
  ]);
  expect(laneUse(lane, states, 11_000)).toEqual({ cpuMs: 500, memoryMbSeconds: 600 });
});

test('the use of a lane is unknown once its processes are gone', () => {
  expect(laneUse(lane, new Map(), 11_000)).toBeNull();
});
