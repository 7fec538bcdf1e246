import { expect, test } from 'vitest';
import { lifeOf } from './lane-pair.ts';

test.each([
  ['outlive the longest run', { ttlMinutes: 1, ttlMinutesMax: 240 }, 120],
  ['live at least as long as other lanes', { ttlMinutes: 200, ttlMinutesMax: 240 }, 200],
  ['live no longer than the maximum', { ttlMinutes: 1, ttlMinutesMax: 10 }, 10],
])('lanes of a run %s', (_, lanes, minutes) => {
  expect(lifeOf({ lanes: { perAgent: 5, perMachine: 100, ...lanes } })).toBe(minutes * 60_000);
});
