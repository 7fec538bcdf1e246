import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { SerialQueue } from '../lane/serial-queue.ts';
import { Baseline, type BaselineDeps } from './baseline.ts';
import { versionKey } from './services.ts';

const config = parseConfig('services: { orders: { command: node orders, port: 4001 } }', {
  path: 'surety.yaml',
  environment: {},
});

/** A baseline in which one service runs on the version `old`, and what happens to it. */
function runningBaseline(promoting: SerialQueue): { baseline: Baseline; events: string[] } {
  const events: string[] = [];
  const row = { service: 'orders', name: 'orders.run_1' };
  const states = new Map([[row.name, { state: 'running' }]]);
  const deps = {
    config,
    promoting,
    act: async (_: unknown, effect: () => Promise<unknown>) => ({
      status: 'committed',
      value: await effect(),
    }),
    ledger: {
      async *rows(prefix: string) {
        const commit = events.includes('promoted') ? 'new' : 'old';
        yield prefix === versionKey
          ? { key: versionKey, value: { commit } }
          : { key: 'service/orders', value: row };
      },
      append: async ({ kind }: { kind: string }) => void events.push(kind),
    },
    trees: { head: async () => 'old', isAncestor: async () => true },
    follow: async (commit: string) => void events.push(`read surety.yaml of ${commit}`),
    host: {
      states: async () => states,
      running: async () => states,
      stop: async (name: string) => void events.push(`stopped ${name}`),
    },
  };
  return { baseline: new Baseline(deps as unknown as BaselineDeps), events };
}

describe('waits for a promotion in progress', () => {
  test.each([
    ['down', ['stopped orders.run_1', 'service-stopped']],
    ['up', ['read surety.yaml of new']],
    ['restart', ['read surety.yaml of new']],
  ] as const)('%s', async (action, expected) => {
    const promoting = new SerialQueue();
    const { baseline, events } = runningBaseline(promoting);
    const promotion = Promise.withResolvers<void>();
    void promoting.run(() => promotion.promise);
    const done =
      action === 'restart'
        ? baseline.restart('person:ada', 'orders')
        : baseline[action]('person:ada');
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    events.push('promoted');
    promotion.resolve();
    await done.catch(() => undefined);
    expect(events.slice(0, expected.length + 1)).toEqual(['promoted', ...expected]);
  });
});
