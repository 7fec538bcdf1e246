import { expect, test } from 'vitest';
import type { Deployment } from '../api-schema.ts';
import { type ReturnDeps, rollBack } from './return-promotion.ts';

/** c0 ← c1 ← c2, the versions that promotions made. */
function depsAt(running: string, ...pairs: (readonly [version: string, previous: string])[]) {
  const recent = pairs.map(([version, previous]) => {
    return { kind: 'promotion', service: 'orders', version, previous } as Deployment;
  });
  const returned: unknown[] = [];
  const deps = {
    promoting: { run: (work: () => unknown) => work() },
    baseline: { version: async () => running },
    trees: { isAncestor: async (older: string, newer: string) => older < newer },
    ledger: {
      async *rows() {
        yield { key: 'deployments', value: { recent } };
      },
    },
    act: async ({ arguments: given }: { arguments: unknown }) => {
      returned.push(given);
      return { status: 'committed', value: null };
    },
  } as unknown as ReturnDeps;
  return { deps, returned };
}

test('a rollback returns the promotion that runs', async () => {
  const { deps } = depsAt('c2', ['c1', 'c0'], ['c2', 'c1']);
  const rolledBack = await rollBack('person:ada', 'why', deps);
  expect(rolledBack).toEqual({ commit: 'c2', base: 'c1', services: ['orders'] });
});

test('a rollback is refused where the watch has returned all promotions', async () => {
  const { deps, returned } = depsAt('c0', ['c1', 'c0'], ['c2', 'c1'], ['c0', 'c2']);
  await expect(rollBack('person:ada', 'why', deps)).rejects.toMatchObject({
    code: 'NOTHING_TO_ROLL_BACK',
  });
  expect(returned).toEqual([]);
});

test('a rollback returns a change that was promoted once more after its return', async () => {
  const { deps } = depsAt('c1', ['c1', 'c0'], ['c0', 'c1'], ['c1', 'c0']);
  expect(await rollBack('person:ada', 'why', deps)).toMatchObject({ commit: 'c1', base: 'c0' });
});
