import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { SerialQueue } from '../lane/serial-queue.ts';
import { Baseline, type BaselineDeps } from './baseline.ts';

const config = parseConfig('services: { orders: { command: node orders, port: 4001 } }', {
  path: 'surety.yaml',
  environment: {},
});

/** A baseline in which one service runs, and what happens to it. */
function runningBaseline(promoting: SerialQueue): { baseline: Baseline; events: string[] } {
  const events: string[] = [];
  const row = { service: 'orders', name: 'orders.run_1' };
  const deps = {
    config,
    promoting,
    act: async (_: unknown, effect: () => Promise<unknown>) => ({
      status: 'committed',
      value: await effect(),
    }),
    ledger: {
      async *rows() {
        yield { key: 'service/orders', value: row };
      },
      append: async ({ kind }: { kind: string }) => void events.push(kind),
    },
    host: {
      states: async () => new Map([[row.name, { state: 'running' }]]),
      stop: async (name: string) => void events.push(`stopped ${name}`),
    },
  };
  return { baseline: new Baseline(deps as unknown as BaselineDeps), events };
}

test('stopping the baseline waits for a promotion in progress', async () => {
  const promoting = new SerialQueue();
  const { baseline, events } = runningBaseline(promoting);
  const promotion = Promise.withResolvers<void>();
  void promoting.run(() => promotion.promise);
  const down = baseline.down('person:ada');
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  events.push('promoted');
  promotion.resolve();
  await down;
  expect(events).toEqual(['promoted', 'stopped orders.run_1', 'service-stopped']);
});
