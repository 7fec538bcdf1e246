import { describe, expect, test } from 'vitest';
import { isDeep, runs } from './harness/deep.ts';
import { type Matrix, runMatrix } from './harness/gate/crash-matrix.ts';
import { crashPoints } from './harness/gate/gate-crash-run.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';

const points = crashPoints.map((_, seed) => seed);

/** A few steps, at different moments; the deep tests and `npm run crash-matrix` try all of them. */
const seeds = points.filter((seed) => isDeep || seed % 15 === 3);
const onPostgres = points.map((seed) => 100 * points.length + seed);

/** As long as a machine takes that has much else to do. */
const timeoutMs = 900_000;

/** A point that is hardly ever reached would prove nothing; of a few, most have to be. */
const reachedMin = runs(0.4, 0.7);

function expectNothingWrong({ runs, kills, problems }: Matrix): void {
  expect(problems).toEqual([]);
  const crashed = runs.filter(({ killed }) => killed.length > 0).length;
  expect(crashed / runs.length).toBeGreaterThan(reachedMin);
  expect(kills.size).toBeGreaterThan(0);
}

// proves: gate.kill, gate.recovery, gate.budgets, gate.slots, gate.once
describe('kill -9 at the steps of a proposal, with effects counted outside', () => {
  test(
    'repeats and loses no effect on SQLite, and budgets and slots balance',
    async () => {
      const matrix = await runMatrix(seeds);
      expectNothingWrong(matrix);
      expect(matrix.kills.size / seeds.length).toBeGreaterThan(reachedMin);
    },
    timeoutMs,
  );

  test.runIf(isDeep)(
    'repeats and loses no effect on PostgreSQL',
    async () => {
      expectNothingWrong(await runMatrix(onPostgres, freshDatabase));
    },
    timeoutMs,
  );
});
