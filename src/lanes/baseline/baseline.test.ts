import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { SerialQueue } from '../lane/serial-queue.ts';
import { Baseline } from './baseline.ts';
import type { BaselineDeps } from './baseline-deps.ts';
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
    storeProcesses: { start: async () => undefined, stop: async () => undefined },
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

test('starts lost services again, each after its dependencies', async () => {
  const services = `services:
  front: { command: node front, port: 4001, dependsOn: [middle] }
  middle: { command: node middle, port: 4002, dependsOn: [back] }
  back: { command: node back, port: 4003 }
`;
  const proposed: unknown[] = [];
  const deps = {
    config: parseConfig(services, { path: 'surety.yaml', environment: {} }),
    promoting: new SerialQueue(),
    act: async (proposal: { arguments: unknown }) => {
      proposed.push(proposal.arguments);
      return { status: 'failed', fault: new Error('the disk is full') };
    },
    ledger: {
      async *rows() {
        for (const service of ['back', 'front', 'middle']) {
          const value = { service, name: `${service}.run_1` };
          yield { key: `service/${service}`, value };
        }
      },
    },
  };
  const baseline = new Baseline(deps as unknown as BaselineDeps);
  const lost = new Set(['front.run_1', 'middle.run_1', 'back.run_1']);
  // One that cannot be started keeps no other from being tried.
  await expect(baseline.revive(lost)).rejects.toThrow('the disk is full');
  expect(proposed).toEqual([{ service: 'back' }, { service: 'middle' }, { service: 'front' }]);
});

test('starts no service before all of them are built, so that building counts in no start time', async () => {
  const services = `services:
  front: { command: node front, port: 4001, health: /readyz }
  back: { command: node back, port: 4002, build: make }
`;
  const events: string[] = [];
  const deps = {
    config: parseConfig(services, { path: 'surety.yaml', environment: {} }),
    promoting: new SerialQueue(),
    act: async (_: unknown, effect: () => Promise<unknown>) => ({
      status: 'committed',
      value: await effect(),
    }),
    ledger: { async *rows() {}, append: async () => undefined },
    storeProcesses: { start: async () => undefined },
    trees: { head: async () => 'new', open: async () => ({ commit: 'new', root: '/', top: '/' }) },
    follow: async () => undefined,
    publish: async () => undefined,
    root: '/',
    makeIdentifier: (kind: string) => `${kind}_1`,
    tagging: async () => () => ({}),
    confinement: { confinesBaseline: false },
    preparation: {
      stores: async () => undefined,
      service: async ({ service }: { service: string }) => {
        if (service === 'back') for (let turn = 0; turn < 20; turn++) await nextTurn();
        events.push(`prepared ${service}`);
      },
    },
    host: {
      states: async () => new Map(),
      running: async () => new Map(),
      start: async ({ log }: { log: string }) => {
        events.push(`started ${log}`);
        return { pid: 1 };
      },
    },
  };
  await new Baseline(deps as unknown as BaselineDeps).up('person:ada');
  expect(events.slice(0, 2).toSorted()).toEqual(['prepared back', 'prepared front']);
  expect(events.slice(2).toSorted()).toEqual(['started back', 'started front']);
});

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
