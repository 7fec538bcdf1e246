import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../../tests/harness/postgres/postgres.ts';
import { type System, startSystem } from './system.ts';
import { runScript } from './testing/run-script.ts';

let postgres: Postgres;
let system: System;

beforeAll(async () => {
  postgres = await startPostgres();
  system = await startSystem({ databaseUrl: await postgres.createDatabase(), ports: 'free' });
});

afterAll(async () => {
  await system?.stop();
  await postgres?.stop();
});

async function post(path: string, body: unknown) {
  const response = await fetch(new URL(path, system.urls.edge), {
    method: 'POST',
    headers: { authorization: 'Bearer trader-token' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: answer.error?.code };
}

const order = { items: [{ sku: 'TEST-001', quantity: 1 }], total: 29.99 };
const trade = { symbol: 'ACME', side: 'buy', quantity: 100, counterparty: 'BANK-1' };

it('answers 502 while the database is away, and recovers with it', async () => {
  expect(await post('/orders', order)).toMatchObject({ status: 201 });
  postgres.kill();
  const down = { status: 502, code: 'database_unavailable' };
  await expect.poll(() => post('/orders', order)).toMatchObject(down);
  expect((await fetch(`${system.urls.orders}/healthz`)).status).toBe(503);
  await postgres.restart();
  expect(await post('/orders', order)).toMatchObject({ status: 201 });
  expect((await fetch(`${system.urls.orders}/healthz`)).status).toBe(200);
});

it('answers 502 for what needs a service that is away, and goes on with the rest', async () => {
  process.kill(system.pids.pricing, 'SIGKILL');
  const down = { status: 502, code: 'pricing_unreachable' };
  await expect.poll(() => post('/trades', trade)).toMatchObject(down);
  expect(await post('/orders', order)).toMatchObject({ status: 201 });
});

it.each([
  [{ PORT: 'http' }, 'PORT is not a port: "http".'],
  [{ PORT: '0', VALIDATION_URL: 'nowhere' }, 'VALIDATION_URL is not a URL: "nowhere".'],
])('a service given %j ends and says why', async (environment, message) => {
  const run = await runScript(`${import.meta.dirname}/services/pricing/main.ts`, [], environment);
  expect(run.exitCode).toBe(1);
  expect(run.output).toContain(message);
});

it('a service whose port is taken ends and says so', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const file = `${import.meta.dirname}/services/pricing/main.ts`;
  const run = await runScript(file, [], { PORT: String(port) });
  taken.close();
  expect(run.exitCode).toBe(1);
  expect(run.output).toContain('EADDRINUSE');
});
