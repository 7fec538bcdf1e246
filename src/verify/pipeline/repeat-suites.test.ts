import { expect, test } from 'vitest';
import type { SuiteRun } from '../api-schema.ts';
import { laneNeeded } from '../suites/reports/index.ts';
import { isForPromoted, whatFailed } from './repeat-suites.ts';

const check = { check: 'two', expected: 2, actual: 1, requestId: null };
const passed: SuiteRun = {
  suite: 'flow',
  result: 'passed',
  checks: [{ ...check, passed: true }],
  reason: null,
};
const failed: SuiteRun = { ...passed, result: 'failed', checks: [{ ...check, passed: false }] };
const needsLane = `${laneNeeded}: A fault needs a lane: HEADERS carries no key of one.`;

test.each<[string, SuiteRun, string | null]>([
  ['passes', passed, null],
  ['fails', failed, '"two" failed'],
  ['is broken', { ...passed, result: 'broken', reason: 'it gave up: no orders' }, 'no orders'],
  [
    'is broken by an answer that speaks of lanes',
    { ...passed, result: 'broken', reason: `it gave up: ${needsLane}` },
    'it gave up',
  ],
  ['ends at a fault that needs a lane', { ...passed, result: 'broken', reason: needsLane }, null],
  [
    'fails before a fault that needs a lane',
    { ...failed, result: 'broken', reason: needsLane },
    '"two" failed',
  ],
])('a suite that %s on the promoted version is judged by its checks', (_, run, expected) => {
  const failure = whatFailed(run);
  if (expected === null) expect(failure).toBeNull();
  else expect(failure).toContain(expected);
});

test.each<[string, Parameters<typeof isForPromoted>[0], boolean]>([
  ['uses no data', {}, true],
  ['reads Postgres', { stores: ['orders'] }, true],
  ['uses Redis', { stores: ['orders', 'cache'] }, false],
  ['uses Redis, as its owner wants it', { stores: ['cache'], promoted: true }, true],
  ['is left out by its owner', { promoted: false }, false],
])('a suite that %s runs on the promoted version: %o', (_, suite, expected) => {
  const datastores = { orders: { kind: 'postgres' }, cache: { kind: 'redis' } } as never;
  expect(isForPromoted(suite, { datastores })).toBe(expected);
});
