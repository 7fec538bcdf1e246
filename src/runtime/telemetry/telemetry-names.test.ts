import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Lane } from '../../lanes/index.ts';
import { parseConfig } from '../../system/index.ts';
import { metricsTargets, systemNames } from './telemetry-names.ts';

const config = parseConfig(
  `
services:
  orders: { command: node orders, port: 4001, aliases: [orders.internal, 'legacy:9000'], metrics: {} }
  edge: { address: 'edge.example:8443', protocol: https, metrics: { path: /m, everyMs: 500 } }
  pricing: { command: node pricing, port: 4003, metrics: { port: 9464 } }
  plain: { command: node plain, port: 4004 }
`,
  { path: 'surety.yaml', environment: {} },
);

const candidates = [
  { service: 'orders', instance: 'orders/lane_1/1', name: 'o', port: 5001, version: 'changed' },
  { service: 'pricing', instance: 'pricing/lane_1/1', name: 'p', port: 5003, version: 'changed' },
];
const lanes = [{ lane: 'lane_1', candidates }] as unknown as Lane[];

test('addresses resolve to services by host, alias, candidate and door', () => {
  const directory = mkdtempSync(join(tmpdir(), 'surety-names-'));
  const doorsFile = join(directory, 'doors.json');
  writeFileSync(doorsFile, JSON.stringify({ 'reports orders': 6001 }));
  const names = systemNames({ config, doorsFile, lanes });
  rmSync(directory, { recursive: true });
  expect(names.lanes).toEqual(['lane_1']);
  expect(names.peers).toMatchObject({
    '127.0.0.1:4001': 'orders',
    'localhost:4001': 'orders',
    'orders:4001': 'orders',
    'orders.internal:80': 'orders',
    'legacy:9000': 'orders',
    'edge.example:8443': 'edge',
    '127.0.0.1:5003': 'pricing',
    '127.0.0.1:6001': 'orders',
  });
  expect(systemNames({ config, doorsFile, lanes: [] }).peers).not.toHaveProperty('127.0.0.1:6001');
});

test('metrics are read from the baseline and from candidates with their own port', () => {
  const instances = new Map([['orders', 'orders/baseline/1']]);
  const targets = metricsTargets(config, lanes, instances);
  const orders = { service: 'orders', everyMs: 15_000 };
  expect(targets).toEqual([
    { ...orders, instance: 'orders/baseline/1', lane: '', url: 'http://127.0.0.1:4001/metrics' },
    {
      ...orders,
      instance: 'orders/lane_1/1',
      lane: 'lane_1',
      url: 'http://127.0.0.1:5001/metrics',
    },
    {
      service: 'edge',
      instance: 'edge',
      lane: '',
      url: 'https://edge.example:8443/m',
      everyMs: 500,
    },
    expect.objectContaining({ service: 'pricing', url: 'http://127.0.0.1:9464/metrics' }),
  ]);
});
