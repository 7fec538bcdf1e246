import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from './harness/deep.ts';
import { type Compared, compareConformance, isBeyond } from './harness/mcp/conformance.ts';
import { type ConformanceScene, openConformance } from './harness/mcp/conformance-scene.ts';
import type { ConformanceRevision } from './harness/mcp/conformance-suite.ts';

let both: ConformanceScene;
let older: ConformanceScene;
beforeAll(async () => {
  [both, older] = await Promise.all([openConformance('both'), openConformance('older')]);
});
afterAll(async () => {
  await Promise.all([both[Symbol.asyncDispose](), older[Symbol.asyncDispose]()]);
});

const passing = (compared: readonly Compared[], side: 'direct' | 'gateway'): string[] =>
  compared.flatMap((one) => one[side].map((check) => `${one.scenario}: ${check}`)).toSorted();

const comparisons = (
  [
    ['2026-07-28', 'both', 150],
    ['2025-11-25', 'older', 75],
    ['2025-11-25', 'both', 75],
  ] as const satisfies readonly [ConformanceRevision, 'both' | 'older', number][]
).slice(0, runs(2, 3));

// proves: mcp.conformance
describe('the official conformance suite', () => {
  test.concurrent.each(comparisons)(
    'for %s passes the same checks through the gateway as directly (the server speaks %s)',
    async (revision, speaks, atLeast) => {
      const compared = await compareConformance(speaks === 'both' ? both : older, revision);
      const direct = passing(compared, 'direct');
      expect(passing(compared, 'gateway')).toEqual(direct);
      // A comparison of nothing with nothing would be equal, too.
      expect(direct.length).toBeGreaterThan(atLeast);
      const failing = compared.filter(({ checks, direct: passed }) => passed.length < checks);
      expect(failing.filter((one) => !isBeyond(one))).toEqual([]);
    },
  );
});
