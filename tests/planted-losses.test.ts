import { expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { runPlantedLosses } from './isolation/losses/planted-losses.ts';

// proves: lanes.reach
test.runIf(isDeep)(
  'reach names the service that lost a key, beside 50 requests without a key a second',
  async () => {
    const plan = { requests: 60, unkeyedPerSecond: 50, seed: 1 };
    const { lost, named, falselyNamed, unkeyedAtCandidate, problems } =
      await runPlantedLosses(plan);
    expect(problems).toEqual([]);
    expect({ named, falselyNamed, unkeyedAtCandidate }).toEqual({
      named: lost,
      falselyNamed: 0,
      unkeyedAtCandidate: 0,
    });
    expect(lost).toBeGreaterThan(20);
  },
);
