import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { migratedStores, servicesWith } from './migrated-stores.ts';

const config = parseConfig(
  `services:
  orders: { command: x, port: 1, stores: [orders-db, cache] }
  ledger: { command: x, port: 2, stores: [orders-db] }
  bank: { address: '10.0.0.5:80', stores: [bank-db] }
datastores:
  orders-db: { kind: postgres, url: x, variable: A, migrations: { command: x, paths: [schema, migrate.ts] } }
  bank-db: { kind: postgres, url: x, variable: B, migrations: { command: x, paths: [schema] } }
  cache: { kind: redis, url: x, variable: C, migrations: { command: x } }
`,
  { path: 'surety.yaml', environment: {} },
);

test.each([
  [['schema/003-notes.sql'], ['orders-db']],
  [['orders/main.ts', 'migrate.ts'], ['orders-db']],
  [['orders/main.ts', 'schema.ts'], []],
])('a change of %j brings migrations for %j', (files, stores) => {
  expect(migratedStores(config, files)).toEqual(stores);
});

test('finds every service that uses a store', () => {
  expect(servicesWith(config, ['orders-db'])).toEqual(['orders', 'ledger']);
  expect(servicesWith(config, [])).toEqual([]);
});
