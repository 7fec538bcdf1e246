import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { mustLook, serviceMemory } from './service-memory.ts';

test('memory is reported for services that do not report it themselves', () => {
  const config = parseConfig(
    `
services:
  orders: { command: node orders, port: 4001 }
  fees: { command: python fees.py, port: 4002, tagging: baggage }
  redis: { command: redis-server, port: 4003, tagging: none }
`,
    { path: 'surety.yaml', environment: {} },
  );
  const running = (service: string, version: string) => ({
    service,
    instance: `${service}/${version}/1`,
    name: `${service}.${version}`,
  });
  const candidate = { ...running('fees', 'lane_1'), port: 1, version: 'changed' as const };
  const states = new Map([
    ['orders.baseline', { memoryBytes: 1 }],
    ['fees.baseline', { memoryBytes: 2 }],
    ['redis.baseline', { memoryBytes: null }],
    ['fees.lane_1', { memoryBytes: 3 }],
  ]);
  const seen = {
    baseline: ['orders', 'fees', 'redis'].map((one) => running(one, 'baseline')),
    lanes: [{ lane: 'lane_1', candidates: [candidate] }],
    states,
  };
  const point = {
    service: 'fees',
    atNs: '1800000000000000000',
    name: 'container.memory.usage',
    unit: 'By',
  };
  expect(serviceMemory(seen, config, 1_800_000_000_000)).toEqual([
    { ...point, instance: 'fees/baseline/1', lane: '', value: 2 },
    { ...point, instance: 'fees/lane_1/1', lane: 'lane_1', value: 3 },
  ]);
  expect(mustLook(config)).toBe(true);
  const { orders } = config.services;
  expect(mustLook({ ...config, services: orders ? { orders } : {} })).toBe(false);
});
