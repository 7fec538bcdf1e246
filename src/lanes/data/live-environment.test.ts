import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { liveEnvironment } from './live-environment.ts';

const text = `
datastores:
  db: { kind: postgres, url: "postgres://127.0.0.1:1/shop", variable: DATABASE_URL }
  cache: { kind: redis, url: "redis://127.0.0.1:2", variable: REDIS_URL }
queues:
  events: { kind: nats, url: "nats://127.0.0.1:3", variable: NATS_URL }
  jobs: { kind: rabbitmq, url: "amqp://127.0.0.1:4" }
services:
  orders: { command: a, port: 5, stores: [db], queues: [events] }
  pages: { command: b, port: 6 }
`;

test('gives a service the addresses of the datastores and queues that it uses', () => {
  const config = parseConfig(text, { path: 'surety.yaml', environment: {} });
  expect(liveEnvironment(config, 'orders')).toEqual({
    DATABASE_URL: 'postgres://127.0.0.1:1/shop',
    NATS_URL: 'nats://127.0.0.1:3',
  });
  expect(liveEnvironment(config, 'pages')).toEqual({});
});
