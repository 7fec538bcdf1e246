import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../tests/harness/postgres/fresh-database.ts';
import { type System, startSystem } from './system.ts';
import { runScript } from './testing/run-script.ts';

const folder = import.meta.dirname;
const lines: string[] = [];
let system: System;
let database: pg.Client;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  const environment = { DATABASE_URL: databaseUrl };
  const migrated = await runScript(join(folder, 'migrate.ts'), ['--seed'], environment);
  expect(migrated, migrated.output).toMatchObject({ exitCode: 0 });
  const again = await runScript(join(folder, 'migrate.ts'), ['--seed'], environment);
  expect(again.lines[0]).toMatchObject({ message: 'migrated', applied: [] });
  system = await startSystem({ databaseUrl, ports: 'free', onLine: (line) => lines.push(line) });
  database = new pg.Client(databaseUrl);
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await system?.stop();
  for (const pid of Object.values(system?.pids ?? {}))
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

async function send(method: string, path: string, body?: unknown, token = 'trader-token') {
  const response = await fetch(new URL(path, system.urls.edge), {
    method,
    headers: { authorization: `Bearer ${token}`, 'x-request-id': 'test-1' },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown> & { error?: { code: string } };
  return { status: response.status, body: answer, code: answer.error?.code };
}

const order = { items: [{ sku: 'TEST-001', quantity: 1 }], total: 29.99 };
const card = { method: 'card', token: 'tok_test_valid' };
const trade = { symbol: 'ACME', side: 'buy', quantity: 100, counterparty: 'BANK-1' };

describe('the suites', () => {
  it.each(['payment-flow', 'trade-flow'])('%s passes', async (suite) => {
    const file = join(folder, 'suites', `${suite}.ts`);
    const environment = { BASE_URL: system.urls.edge, TOKEN: 'trader-token' };
    const run = await runScript(file, [], environment);
    expect(run, run.output).toMatchObject({ exitCode: 0 });
    expect(run.lines.length).toBeGreaterThan(5);
    expect(run.lines.every((line) => line.passed === true)).toBe(true);
  });

  it('fail when nobody answers', async () => {
    const environment = { BASE_URL: 'http://127.0.0.1:1', TOKEN: 'trader-token' };
    const run = await runScript(join(folder, 'suites/trade-flow.ts'), [], environment);
    expect(run).toMatchObject({ exitCode: 1, lines: [{ passed: false }] });
  });

  it('say what is missing', async () => {
    const environment = { BASE_URL: system.urls.edge, TOKEN: '' };
    const run = await runScript(join(folder, 'suites/trade-flow.ts'), [], environment);
    expect(run).toMatchObject({ exitCode: 2, lines: [{ reason: 'Set TOKEN.' }] });
  });
});

describe('traffic', () => {
  it('meets only answers that it expects', async () => {
    // As fast as the machine allows: at a fixed rate, a busy machine would not answer in time.
    const args = ['--rate', '1000', '--in-flight', '4', '--count', '40', '--seed', '3'];
    const environment = { BASE_URL: system.urls.edge };
    const run = await runScript(join(folder, 'traffic/main.ts'), args, environment);
    expect(run, run.output).toMatchObject({ exitCode: 0, lines: [{ unexpected: 0 }] });
  });

  it.each(['0', '100001', 'many'])('refuses --count %s', async (count) => {
    const run = await runScript(join(folder, 'traffic/main.ts'), ['--count', count]);
    expect(run.exitCode).toBe(2);
    expect(run.output).toContain('is not a whole number from 1 to 100000');
  });
});

describe('payments', () => {
  it('charges concurrent duplicates once', async () => {
    const { body } = await send('POST', '/orders', order);
    const path = `/orders/${body.id}/payment`;
    const slow = { method: 'card', token: 'tok_test_slow' };
    const payments = await Promise.all(Array.from({ length: 8 }, () => send('POST', path, slow)));
    expect(payments.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(payments.map((payment) => payment.body.charge_id)).size).toBe(1);
    const sql = 'SELECT charge_id FROM processor_charges WHERE idempotency_key = $1';
    const { rows } = await database.query(sql, [body.id]);
    expect(rows).toEqual([{ charge_id: payments[0]?.body.charge_id }]);
    const paid = await send('GET', `/orders/${body.id}`);
    expect(paid.body).toMatchObject({ status: 'paid', charge_id: payments[0]?.body.charge_id });
  });

  it('accepts another card after a decline', async () => {
    const { body } = await send('POST', '/orders', order);
    const path = `/orders/${body.id}/payment`;
    const declined = await send('POST', path, { method: 'card', token: 'tok_test_declined' });
    expect(declined).toMatchObject({ status: 402, code: 'declined' });
    expect(await send('POST', path, card)).toMatchObject({ status: 200 });
  });

  it.each(['charged-but-open', 'charged-not-recorded'])('finds the charge of %s', async (name) => {
    const payment = await send('POST', `/orders/ord_edge-${name}/payment`, card);
    expect(payment).toMatchObject({ status: 200, body: { charge_id: `ch_edge-${name}` } });
  });

  it('does not pay a cancelled order', async () => {
    const payment = await send('POST', '/orders/ord_edge-cancelled/payment', card);
    expect(payment).toMatchObject({ status: 409, code: 'order_cancelled' });
  });
});

describe('odd things that are in the books', () => {
  it.each([
    ['/orders/ord_edge-zero-quantity', { items: [{ sku: 'TEST-001', quantity: 0 }] }],
    ['/orders/ord_edge-no-items', { items: [], createdAt: '1970-01-01T00:00:00.000Z' }],
    ['/orders/ord_edge-right-to-left', { items: [{ sku: 'مرحبا', quantity: 1 }] }],
    ['/orders/ord_edge-combining', { items: [{ sku: 'Cafe\u0301 👩‍👩‍👧', quantity: 1 }] }],
    ['/orders/ord_edge-odd-cents', { total: 10_000_000_000.01 }],
    ['/trades/trd_edge-half-cents', { price: 0.875, amount: 2.63 }],
    ['/trades/trd_edge-unicode', { counterparty: 'Müller & Söhne 株式会社' }],
  ])('%s can be read', async (path, body) => {
    expect(await send('GET', path)).toMatchObject({ status: 200, body });
  });
});

describe('bad requests', () => {
  it.each([
    ['GET', '/nowhere', undefined, 404, 'route_not_found'],
    ['GET', '/orders/ord_none', undefined, 404, 'order_not_found'],
    ['GET', '/orders/ord_%00', undefined, 404, 'order_not_found'],
    ['GET', '/orders/%ff', undefined, 400, 'invalid_path'],
    ['GET', '/trades', undefined, 405, 'method_not_allowed'],
    ['POST', '/orders', '{"items":', 400, 'invalid_json'],
    ['POST', '/orders', '[]', 400, 'invalid_body'],
    ['POST', '/orders', { ...order, total: 'free' }, 400, 'invalid_field'],
    [
      'POST',
      '/orders',
      { ...order, items: [{ sku: '\ud800', quantity: 1 }] },
      400,
      'invalid_field',
    ],
    ['POST', '/trades', { ...trade, symbol: 'NOPE' }, 400, 'unknown_symbol'],
    ['POST', '/trades', { ...trade, quantity: 0 }, 400, 'invalid_field'],
  ])('%s %s %j is answered with %d', async (method, path, body, status, code) => {
    expect(await send(method, path, body)).toMatchObject({ status, code });
  });

  it.each([
    [64 * 1024, 201, undefined],
    [64 * 1024 + 1, 413, 'body_too_large'],
    [8 * 1024 * 1024, 413, 'body_too_large'],
  ])('a body of %d bytes is answered with %d', async (bytes, status, code) => {
    const answer = await send('POST', '/orders', JSON.stringify(order).padEnd(bytes));
    expect(answer).toMatchObject({ status });
    expect(answer.code).toBe(code);
  });

  it.each([
    ['expired-token', 401, 'token_expired'],
    ['stolen-token', 401, 'token_unknown'],
    ['ancient-token', 401, 'token_expired'],
    ['viewer-token', 403, 'scope_missing'],
    ['powerless-token', 403, 'scope_missing'],
  ])('%s may not trade', async (token, status, code) => {
    expect(await send('POST', '/trades', trade, token)).toMatchObject({ status, code });
  });
});

describe('what an operator sees', () => {
  it('gives every service health and metrics', async () => {
    for (const [service, url] of Object.entries(system.urls)) {
      const health = await fetch(`${url}/healthz`);
      expect(await health.json()).toEqual({ status: 'ok', service });
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toContain('# TYPE http_request_duration_seconds histogram\n');
    }
  });

  it('carries one request id through every service it passes', async () => {
    await send('POST', '/trades', trade);
    const services = () =>
      lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((entry) => entry.requestId === 'test-1' && entry.message === 'request')
        .map((entry) => entry.service);
    // A service may write its line after its answer, and its output comes by a pipe.
    await expect
      .poll(() => new Set(services()))
      .toEqual(new Set(['edge', 'orders', 'payments', 'pricing', 'validation']));
  });

  it('counts no mismatch while the high-value rule works', async () => {
    const metrics = await (await fetch(`${system.urls.orders}/metrics`)).text();
    expect(metrics).toContain('\nhigh_value_mismatch_total 0\n');
  });
});
