import { expect, test } from 'vitest';
import { parseConfig } from '../system/index.ts';
import { serviceMemory } from './service-memory.ts';

test('memory is told of services that do not tell it themselves', () => {
  const config = parseConfig(
    `
services:
  orders: { command: node orders, port: 4001 }
  fees: { command: python fees.py, port: 4002, tagging: baggage }
  redis: { command: redis-server, port: 4003, tagging: none }
`,
    { path: 'surety.yaml', environment: {} },
  );
  const seen = (service: string, memoryBytes: number | null) => ({
    service,
    instance: `${service}/baseline/1`,
    memoryBytes,
  });
  const status = [seen('orders', 1), seen('fees', 2), seen('redis', null)];
  expect(serviceMemory(status, config, 1_800_000_000_000)).toEqual([
    {
      service: 'fees',
      instance: 'fees/baseline/1',
      lane: '',
      atNs: '1800000000000000000',
      name: 'container.memory.usage',
      unit: 'By',
      value: 2,
    },
  ]);
});
