import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../tests/harness/postgres/fresh-database.ts';
import { until } from '../../../tests/harness/until.ts';
import { runScript } from '../../trading/testing/run-script.ts';
import { exampleOrders } from '../orders.ts';
import { type PaymentService, startPaymentService } from './process.ts';

let database: pg.Client;
let service: PaymentService;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  const seed = new URL('../seed.ts', import.meta.url).pathname;
  for (const _ of ['first', 'again']) {
    const seeded = await runScript(seed, [], { DATABASE_URL: databaseUrl });
    expect(seeded, seeded.output).toMatchObject({ exitCode: 0 });
  }
  database = new pg.Client(databaseUrl);
  await database.connect();
  service = await startPaymentService(databaseUrl);
});

afterAll(async () => {
  await database?.end();
  await service?.stop();
  expect(() => process.kill(service.pid, 0)).toThrow('ESRCH');
});

beforeEach(async () => {
  await database.query('TRUNCATE payouts, cancellations, fences, requests');
  await call('DELETE', '/faults');
});

type Headers = Readonly<Record<string, string>>;

async function call(method: string, path: string, body?: unknown, headers: Headers = {}) {
  const response = await fetch(new URL(path, service.url), {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const refund = { orderId: 'ord_small', amount: 4_500, reason: 'arrived broken' };
const key = { 'Idempotency-Key': 'refund-1' };
const pay = (headers: Headers = key) => call('POST', '/refunds', refund, headers);
const byKey = async () => (await call('GET', '/refunds?key=refund-1')).body;
const effects = async () => (await call('GET', '/effects')).body.ord_small;

describe('an order', () => {
  test.each(exampleOrders)('$id exists, and nothing of it is refunded', async (order) => {
    const found = await call('GET', `/orders/${order.id}`);
    expect(found).toEqual({ status: 200, body: { ...order, refunded: 0 } });
  });

  test('has the sum of its refunds, without cancelled ones', async () => {
    const { body } = await pay();
    expect(await call('GET', '/orders/ord_small')).toMatchObject({ body: { refunded: 4_500 } });
    await call('POST', `/refunds/${body.id}/cancel`);
    expect(await call('GET', '/orders/ord_small')).toMatchObject({ body: { refunded: 0 } });
  });
});

describe('a refund', () => {
  test('is paid and found by its key', async () => {
    expect(await byKey()).toEqual({ status: 'none' });
    const { status, body } = await pay();
    const { orderId, amount } = refund;
    expect({ status, body }).toEqual({
      status: 201,
      body: { id: body.id, orderId, amount, status: 'paid' },
    });
    expect(await byKey()).toEqual({ status: 'paid', id: body.id, amount });
  });

  test('is paid again for each request, even with the same key', async () => {
    const [first, second] = [await pay(), await pay()];
    expect(first.body.id).not.toBe(second.body.id);
    expect(await effects()).toEqual({ payouts: 2, cancellations: 0 });
  });

  test('can be cancelled repeatedly', async () => {
    const { body } = await pay();
    const cancelled = await call('POST', `/refunds/${body.id}/cancel`);
    expect(cancelled).toEqual({ status: 200, body: { ...body, status: 'cancelled' } });
    await call('POST', `/refunds/${body.id}/cancel`);
    expect(await byKey()).toMatchObject({ status: 'cancelled' });
    expect(await effects()).toEqual({ payouts: 1, cancellations: 2 });
  });

  test('is logged', async () => {
    await pay({ ...key, 'Surety-Fence': 'order/ord_small=3' });
    const { rows } = await database.query(
      `SELECT method, path, key, fence, status FROM requests WHERE method = 'POST'`,
    );
    expect(rows).toEqual([
      {
        method: 'POST',
        path: '/refunds',
        key: 'refund-1',
        fence: 'order/ord_small=3',
        status: 201,
      },
    ]);
  });

  test.each([
    ['an unknown order', { ...refund, orderId: 'ord_none' }, 404],
    ['an amount below one', { ...refund, amount: 0 }, 400],
    ['a fraction', { ...refund, amount: 0.5 }, 400],
    ['a field that nobody knows', { ...refund, to: 'me' }, 400],
    ['no object', 'refund', 400],
  ])('of %s is refused', async (_, body, status) => {
    expect(await call('POST', '/refunds', body)).toMatchObject({ status });
    expect(await effects()).toEqual({ payouts: 0, cancellations: 0 });
  });

  test('that does not exist cannot be cancelled', async () => {
    expect(await call('POST', '/refunds/rf_none/cancel')).toMatchObject({ status: 404 });
  });
});

describe('a fence', () => {
  const fence = (number: number | string) => ({ 'Surety-Fence': `order/ord_small=${number}` });

  test('accepts the same holder and later ones, and refuses earlier ones', async () => {
    const statuses = [];
    for (const number of [4, 4, 5, 4]) statuses.push((await pay(fence(number))).status);
    expect(statuses).toEqual([201, 201, 201, 409]);
    expect(await effects()).toEqual({ payouts: 3, cancellations: 0 });
  });

  test('stops a payment in progress once a later holder has read', async () => {
    await call('POST', '/faults', { mode: 'slow', ms: 60_000 });
    const late = pay(fence(1));
    await untilRequested('/refunds');
    expect(await call('GET', '/refunds?key=refund-1', undefined, fence(2))).toMatchObject({
      body: { status: 'none' },
    });
    await call('DELETE', '/faults');
    expect(await late).toMatchObject({ status: 409, body: { error: { code: 'fence_passed' } } });
    expect(await effects()).toEqual({ payouts: 0, cancellations: 0 });
  });

  test.each(['', '-1', 'seven', '1.5'])('of "%s" is refused', async (number) => {
    expect(await pay(fence(number))).toMatchObject({ status: 400 });
  });
});

describe('a fault', () => {
  test('"stuck" pays, but does not book the payment', async () => {
    await call('POST', '/faults', { mode: 'stuck' });
    expect(await pay()).toMatchObject({ status: 500 });
    expect(await byKey()).toMatchObject({ status: 'stuck', amount: 4_500 });
    expect(await effects()).toEqual({ payouts: 1, cancellations: 0 });
    expect(await call('GET', '/orders/ord_small')).toMatchObject({ body: { refunded: 0 } });
  });

  test('"crash-before-answer" pays, and gives no answer', async () => {
    await call('POST', '/faults', { mode: 'crash-before-answer' });
    await expect(pay()).rejects.toThrow('fetch failed');
    expect(await byKey()).toMatchObject({ status: 'paid' });
    const { rows } = await database.query(
      `SELECT status FROM requests WHERE path = '/refunds' AND method = 'POST'`,
    );
    expect(rows).toEqual([{ status: null }]);
  });

  test('"error-before-effect" pays nothing', async () => {
    await call('POST', '/faults', { mode: 'error-before-effect' });
    expect(await pay()).toMatchObject({ status: 500 });
    expect(await byKey()).toEqual({ status: 'none' });
  });

  test('"slow-answer" pays long before its answer', async () => {
    await call('POST', '/faults', { mode: 'slow-answer', ms: 60_000 });
    const given = new AbortController();
    const answer = fetch(new URL('/refunds', service.url), {
      method: 'POST',
      headers: key,
      body: JSON.stringify(refund),
      signal: given.signal,
    });
    await until('it is paid', async () => (await byKey()).status === 'paid');
    given.abort();
    await expect(answer).rejects.toThrow('aborted');
  });

  test('affects the requested number of calls, and only calls of the requested kind', async () => {
    await call('POST', '/faults', { on: 'cancel', mode: 'error-before-effect', times: 2 });
    const { status, body } = await pay();
    const statuses = [status];
    for (const _ of [1, 2, 3]) {
      statuses.push((await call('POST', `/refunds/${body.id}/cancel`)).status);
    }
    expect(statuses).toEqual([201, 500, 500, 200]);
  });

  test('of an unknown kind is refused', async () => {
    expect(await call('POST', '/faults', { mode: 'flood' })).toMatchObject({ status: 400 });
  });
});

async function untilRequested(path: string): Promise<void> {
  const seen = () => database.query('SELECT FROM requests WHERE path = $1', [path]);
  await until(`${path} was called`, async () => (await seen()).rowCount === 1);
}
