import { expect, test } from 'vitest';
import { problemsOf, runMatrix } from './isolation/matrix/matrix.ts';

/** Of each way in which requests can be confused, one pattern. */
const patterns = [
  'callback',
  'fetch',
  'setImmediate',
  'writeHeader',
  'semaphore of 3 with callbacks',
  'three loops over a queue',
  'consumer of an async iterator',
  'batch by setImmediate',
  'one call in flight',
  'cache in a Map',
  'driver with callbacks on one connection',
  'worker thread that answers',
  'worker thread with promises',
];

/** Here nothing is shared, so nothing may be lost. */
const sharingNothing = ['callback', 'fetch', 'setImmediate', 'writeHeader'];

// proves: lanes.isolation
// proves: lanes.unkeyed
test('only requests of the lane come to a candidate, and every other outcome is reported', async () => {
  const rows = await runMatrix({ patterns, requests: 8 });
  expect(rows.flatMap(problemsOf)).toEqual([]);
  for (const row of rows.filter(({ pattern }) => sharingNothing.includes(pattern))) {
    expect([row.pattern, row.keyedAtCandidate, row.isProven]).toEqual([row.pattern, 8, true]);
  }
}, 300_000);
