import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalServer, startRedis } from '../../../tests/harness/local-server.ts';
import { freshDatabase } from '../../../tests/harness/postgres/fresh-database.ts';
import { until } from '../../../tests/harness/until.ts';
import { type ReceivedSpan, Receiver } from '../receiver.fixture.ts';
import { Service } from '../service.fixture.ts';

const byId = 'SELECT note FROM orders WHERE id = $1';

let url: URL;
let redis: LocalServer;
let receiver: Receiver;
let service: Service;
let numbers = 0;

beforeAll(async () => {
  url = new URL(await freshDatabase());
  redis = await startRedis();
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query('CREATE TABLE orders (id int PRIMARY KEY, note text)');
  await client.query(`INSERT INTO orders VALUES (1, 'first')`);
  await client.end();
  receiver = await Receiver.open();
  // `pg` warns of what one of the tests does: to ask before the last answer is there.
  const quiet = { NODE_NO_WARNINGS: '1' };
  const environment = { DATABASE_URL: url.href, REDIS_PORT: String(redis.port), ...quiet };
  const tag = { telemetry: receiver.address };
  service = await Service.start({ file: 'database-service.cjs', tag, environment });
});

afterAll(async () => {
  for (const one of [service, receiver]) await one?.[Symbol.asyncDispose]();
  await redis?.stop();
});

/** What it answers, and what is told of it: the request, and what was asked for it, in order. */
async function ask(path: string, key?: string) {
  numbers += 1;
  const trace = numbers.toString(16).padStart(32, '0');
  const baggage = key ? { baggage: `surety-lane=${key}` } : {};
  const headers = { ...baggage, traceparent: `00-${trace}-0123456789abcdef-01` };
  const answer = await service.ask(path, undefined, { headers });
  const body = await answer.text();
  const spans = (): ReceivedSpan[] => receiver.spans.filter(({ traceId }) => traceId === trace);
  const request = await until(`${path} is told`, () =>
    spans().find(({ kind }) => kind === 'server'),
  );
  const asked = await until(`all queries of ${path} are told`, () => {
    const found = spans().filter(({ kind }) => kind === 'client');
    const most = Math.min(1_000, Number(request.values['surety.calls']));
    return found.length >= most ? found : undefined;
  });
  return { status: answer.status, body, request, asked };
}

test('reports a thousand commands of one request, and their total', async () => {
  const { request, asked } = await ask('/many');
  expect(request.values['surety.calls']).toBe(1_100);
  expect(asked).toHaveLength(1_000);
});

test('reports each query, whichever API makes it', async () => {
  const ways = (await (await service.ask('/ways')).json()) as string[];
  expect(ways).toHaveLength(6);
  const told = await Promise.all(
    ways.map(async (way) => {
      const path = `/way?name=${encodeURIComponent(way)}`;
      return { way, ...(await ask(path, 'key-1')) };
    }),
  );
  for (const { way, body, request, asked } of told) {
    expect([way, body]).toEqual([way, '[{"note":"first"}]']);
    expect([way, asked.map(({ name }) => name)]).toEqual([way, ['SELECT orders']]);
    const [query] = asked as [ReceivedSpan];
    expect([way, query.parentSpanId]).toEqual([way, request.spanId]);
    expect([way, query.failure]).toEqual([way, undefined]);
    expect(query.values).toEqual({
      'db.system.name': 'postgresql',
      'db.namespace': url.pathname.slice(1),
      'db.operation.name': 'SELECT',
      'db.query.summary': 'SELECT orders',
      'db.query.text': byId,
      'server.address': url.hostname,
      'server.port': Number(url.port),
      'surety.lane': 'key-1',
    });
  }
});

test('reports when a query began and when it was answered', async () => {
  const { request, asked } = await ask('/held');
  const [held, freed] = ['xact_lock', 'unlock'].map((name) =>
    asked.find(({ values }) => values['db.query.text'] === `SELECT pg_advisory_${name}(?)`),
  ) as [ReceivedSpan, ReceivedSpan];
  expect(held.startNs).toBeLessThanOrEqual(freed.startNs);
  expect(held.endNs).toBeGreaterThan(freed.startNs);
  expect(held.startNs).toBeGreaterThanOrEqual(request.startNs);
  expect(held.endNs).toBeLessThanOrEqual(request.endNs);
});

test('attributes a query that waited for its connection to its request', async () => {
  const both = await Promise.all([ask('/slow'), ask('/literal'), ask('/slow')]);
  expect(both.map(({ asked }) => asked.map(({ name }) => name))).toEqual([
    ['SELECT'],
    ['SELECT orders'],
    ['SELECT'],
  ]);
});

test('reports no value that was queried, inserted or refused', async () => {
  const { asked } = await ask('/literal');
  expect(asked[0]?.values['db.query.text']).toBe(
    'SELECT id FROM orders WHERE note = ? AND id IN (?, …)',
  );
  const twice = await ask('/twice');
  expect([twice.status, twice.body]).toEqual([500, expect.stringContaining('duplicate key')]);
  expect(twice.asked[0]).toMatchObject({
    name: 'INSERT orders',
    failure: expect.stringContaining('unique constraint "orders_pkey"'),
    values: { 'error.type': '23505' },
  });
  const values = ['hunter2', '{"password":"hunter2"}', `" hunter2 "`, `it's hunter2`];
  const wrongs = values.map((value) => ask(`/wrong?value=${encodeURIComponent(value)}`));
  for (const [at, wrong] of (await Promise.all(wrongs)).entries()) {
    expect(wrong.body).toContain(values[at]);
    expect(wrong.asked[0]?.failure).toMatch(/invalid input syntax for type integer: \?$/);
  }
  const broken = await ask('/broken');
  expect(broken.body).toContain('hunter2');
  expect(broken.asked[0]?.failure).toMatch(/unterminated quoted string at or near \?$/);
  for (const client of ['ioredis', 'redis']) {
    await service.ask(`/${client}`);
    const refused = await ask(`/${client}-wrong`);
    expect([client, refused.status, refused.asked[0]?.name]).toEqual([client, 500, 'LPUSH']);
    expect([client, refused.asked[0]?.failure]).toEqual([
      client,
      expect.stringContaining('WRONGTYPE'),
    ]);
  }
  expect(JSON.stringify(receiver.spans.map(({ values, failure }) => [values, failure])))
    .not //
    .toContain('hunter2');
});

test.each(['ioredis', 'redis'])('reports commands by %s', async (client) => {
  const { body, request, asked } = await ask(`/${client}`, 'key-1');
  expect(body).toContain('hunter2');
  expect(asked.map(({ name }) => name)).toEqual(['SET', 'MULTI', 'GET', 'EXEC']);
  expect(request.values['surety.calls']).toBe(4);
  for (const { parentSpanId, values } of asked) {
    expect(parentSpanId).toBe(request.spanId);
    expect(values).toMatchObject({
      'db.system.name': 'redis',
      'server.address': '127.0.0.1',
      'server.port': redis.port,
      'surety.lane': 'key-1',
    });
  }
});

test('reports the final outcome of a command that a cluster redirected', async () => {
  const { body, asked } = await ask('/moved');
  expect(body).toBe('"found"');
  const got = asked.filter(({ name }) => name === 'GET');
  expect(got).toMatchObject([{ failure: undefined }]);
});

test('reports no address of a command if the address is unknown', async () => {
  const { asked } = await ask('/redis-queue');
  expect(asked.map(({ values }) => values)).toEqual([
    {
      'db.system.name': 'redis',
      'db.operation.name': 'GET',
      'db.query.summary': 'GET',
      'error.type': 'Error',
    },
  ]);
});

test('leaves an uncaught failure to the application', async () => {
  await ask('/forgotten');
  await expect.poll(async () => (await service.ask('/unhandled')).text()).toBe('"42703"');
});

test('counts what it does not report, without any reporting error', async () => {
  // At least those of the first test: on a busy machine there may be more, or not all at one look.
  await until('it is counted', () =>
    receiver.points.some(
      ({ name, values, value }) =>
        name === 'surety.reports.dropped' && values.signal === 'spans' && value >= 100,
    ),
  );
  const failures = receiver.points.findLast(({ name }) => name === 'surety.reports.failures');
  expect(failures?.value).toBe(0);
});
