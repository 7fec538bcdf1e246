import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { request } from '../compare/recorded.fixture.ts';
import { ownDataOf } from './own-data.ts';

const service = (port: number, stores: string): string =>
  `{ command: node main.mjs, port: ${port}, stores: [${stores}] }`;

const stores = `datastores:
  db: { kind: postgres, url: "postgres://127.0.0.1/x", variable: DB_URL }
services:
  front: ${service(4001, '')}
  orders: ${service(4002, 'db')}
  payments: ${service(4003, 'db')}
`;
const queue = 'queues: { events: { kind: nats, url: "nats://127.0.0.1:1", variable: NATS_URL } }';

describe('data of their own', () => {
  test.each([
    ['needs copies of all services that use a store', stores],
    ['is not enough if messages leave the lane', `${stores}${queue}\n`],
    ['is nothing without a store', `services:\n  front: ${service(4001, '')}\n`],
  ])('%s', (_, text) => {
    const own = ownDataOf(parseConfig(text, { path: 'surety.yaml', environment: {} }), []);
    const expected = { services: ['orders', 'payments'], data: { db: 'branch' } };
    expect(own).toEqual(text === stores ? expected : null);
  });

  test('needs copies of services that requests change, which may hold it in memory', () => {
    const config = parseConfig(stores, { path: 'surety.yaml', environment: {} });
    const servicesFor = (method: string) =>
      ownDataOf(config, request([{ to: 'front', method }], { to: 'orders' }))?.services;
    expect(servicesFor('POST')).toEqual(['orders', 'payments', 'front']);
    expect(servicesFor('GET')).toEqual(['orders', 'payments']);
  });
});
