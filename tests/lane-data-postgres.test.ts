import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { laneLimits } from '../src/lanes/limits.ts';
import { isDeep } from './harness/deep.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { ask, createDataScene, type DataScene } from './harness/systems/data-scene.ts';

const driver = createRequire(import.meta.url).resolve('pg');
const node = process.execPath;

let live: string;
let user: pg.Client;
let scene: DataScene;

/** A migration tool in four lines, as a change might bring it. */
const migrate = `
  const pg = require(${JSON.stringify(driver)});
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  client.connect().then(() => client.query(process.argv[2])).then(() => client.end());
`;

beforeAll(async () => {
  // It has a password, which must not be told anywhere.
  const url = new URL(await freshDatabase());
  url.password = 's3cret-of-the-store';
  live = url.href;
  // Somebody is always connected to a live database.
  user = new pg.Client({ connectionString: live });
  await user.connect();
  await user.query('CREATE TABLE orders (id int PRIMARY KEY, note text)');
  await user.query(`INSERT INTO orders VALUES (1, 'live')`);
  const step = (sql: string): string => `{ command: '${node} migrate.cjs "${sql}"' }`;
  scene = createDataScene(`
services:
  orders: { command: x, port: 1, stores: [orders-db] }
  ledger: { command: x, port: 2, stores: [orders-db] }
  edge: { command: x, port: 3 }
datastores:
  orders-db:
    kind: postgres
    url: ${live}
    variable: DATABASE_URL
    migrations: ${step('CREATE TABLE IF NOT EXISTS added (id int)')}
    seeds: ${step('INSERT INTO added VALUES (7)')}
`);
  scene.write('migrate.cjs', migrate);
});

afterEach(async () => {
  await scene.data.recover([]);
});

afterAll(async () => {
  await scene.end();
  await user.end();
});

const addressOf = (lane: string): string =>
  String(scene.data.environment(lane, 'orders').DATABASE_URL);

const count = async (url: string, table: string): Promise<number> => {
  const [row] = await ask<{ n: number }>(url, `SELECT count(*)::int AS n FROM ${table}`);
  return row?.n ?? -1;
};

/** What there is on the server of ours. */
const names = async (like: string): Promise<string[]> => {
  const sql = `SELECT datname FROM pg_database WHERE datname LIKE '${like}'`;
  return (await ask<{ datname: string }>(live, sql)).map(({ datname }) => datname);
};

describe('the rows of a Postgres branch', () => {
  const rowsOf = async (data: Awaited<ReturnType<DataScene['open']>>) => {
    const [store] = await scene.data.rows(data);
    return Object.fromEntries((store?.tables ?? []).map(({ table, ...more }) => [table, more]));
  };

  test('are read with their keys and without secrets, but not from a shared database', async () => {
    const data = await scene.open('lane_rows', { 'orders-db': 'branch' });
    const address = addressOf('lane_rows');
    await ask(address, 'CREATE SCHEMA other; CREATE TABLE other.users (name text, password text)');
    await ask(address, `INSERT INTO other.users VALUES ('ann', 'hunter2secret')`);
    const { orders, 'other.users': users } = await rowsOf(data);
    expect(orders).toEqual({ key: ['id'], rows: [{ id: 1, note: 'live' }] });
    expect(users?.key).toEqual([]);
    expect(JSON.stringify(users?.rows)).toMatch(/ann(?!.*hunter2secret)/);
    expect(await scene.data.rows(await scene.open('lane_shared', {}))).toEqual([]);
  });

  test('are read up to laneLimits.comparedRowsMax rows and laneLimits.comparedTablesMax tables', async () => {
    const data = await scene.open('lane_most', { 'orders-db': 'branch' });
    const address = addressOf('lane_most');
    const fill = (rows: number) =>
      ask(address, `INSERT INTO orders SELECT n FROM generate_series(1, ${rows}) AS n`);
    await ask(address, 'DELETE FROM orders');
    await fill(laneLimits.comparedRowsMax);
    expect((await rowsOf(data)).orders?.rows).toHaveLength(laneLimits.comparedRowsMax);
    await ask(address, `INSERT INTO orders VALUES (${laneLimits.comparedRowsMax + 1})`);
    expect(await rowsOf(data)).not.toHaveProperty('orders');
    await ask(address, 'DELETE FROM orders');
    const most = laneLimits.comparedTablesMax - Object.keys(await rowsOf(data)).length;
    const make = (from: number, to: number) =>
      ask(
        address,
        `DO $$ BEGIN FOR n IN ${from}..${to} LOOP EXECUTE format('CREATE TABLE z%s ()', 1000 + n); END LOOP; END $$`,
      );
    await make(1, most);
    expect(await rowsOf(data)).toHaveProperty(`z${1000 + most}`);
    await make(most + 1, most + 1);
    expect(await rowsOf(data)).not.toHaveProperty(`z${1000 + most + 1}`);
  });
});

describe('what is written into a live Postgres', () => {
  const written = async (marks: Awaited<ReturnType<typeof scene.data.markLive>>) => {
    const [store] = await scene.data.liveRowsSince(marks);
    return Object.fromEntries((store?.tables ?? []).map(({ table, rows }) => [table, rows]));
  };

  test('is read from a moment on, in tables of up to laneLimits.scannedRowsMax rows', async () => {
    await user.query(`CREATE TABLE written (id int PRIMARY KEY, note text)`);
    await user.query(`INSERT INTO written VALUES (1, 'before'), (2, 'before')`);
    const marks = await scene.data.markLive(['orders-db', 'unknown-db']);
    expect(marks.map(({ store }) => store)).toEqual(['orders-db']);
    expect((await written(marks)).written).toEqual([]);
    await user.query(`INSERT INTO written VALUES (3, 'new')`);
    await user.query(`UPDATE written SET note = 'changed' WHERE id = 1`);
    const ids = (rows: unknown): unknown =>
      (rows as { id: number }[]).map(({ id }) => id).toSorted();
    expect(ids((await written(marks)).written)).toEqual([1, 3]);
    const pretend = (rows: number) =>
      user.query(`UPDATE pg_class SET reltuples = ${rows} WHERE relname = 'written'`);
    await pretend(laneLimits.scannedRowsMax);
    expect(await written(marks)).toHaveProperty('written');
    await pretend(laneLimits.scannedRowsMax + 1_000);
    expect(await written(marks)).not.toHaveProperty('written');
    await user.query('DROP TABLE written');
  });
});

describe('a branch of a Postgres that is in use', () => {
  test('starts with the live data, and neither side sees the writes of the other', async () => {
    const [data] = await scene.open('lane_a', { 'orders-db': 'branch' });
    expect(data).toEqual({ store: 'orders-db', mode: 'branch', branch: expect.any(String) });
    expect(await count(addressOf('lane_a'), 'orders')).toBe(1);
    await ask(addressOf('lane_a'), `INSERT INTO orders VALUES (2, 'lane')`);
    await user.query(`INSERT INTO orders VALUES (3, 'live'), (4, 'live')`);
    expect(await count(addressOf('lane_a'), 'orders')).toBe(2);
    expect(await count(live, 'orders')).toBe(3);
  });

  test('gets the migrations of its version, and the live database does not', async () => {
    await scene.open('lane_b', { 'orders-db': 'branch' });
    expect(await count(addressOf('lane_b'), 'added')).toBe(0);
    await expect(count(live, 'added')).rejects.toThrow('does not exist');
  });

  test('is given to every service that uses the store, and to no other', async () => {
    await scene.open('lane_c', { 'orders-db': 'branch' });
    expect(scene.data.environment('lane_c', 'ledger').DATABASE_URL).toBe(addressOf('lane_c'));
    expect(scene.data.environment('lane_c', 'edge')).toEqual({});
    expect(scene.data.environment('lane_other', 'orders').DATABASE_URL).toBe(live);
  });

  test('is refused when the lane lacks a service that uses the store, which is named', async () => {
    const opening = scene.open('lane_d', { 'orders-db': 'branch' }, ['orders', 'edge']);
    await expect(opening).rejects.toMatchObject({
      code: 'DATA_BRANCH_UNSAFE',
      message: expect.stringContaining('ledger would keep using the live one'),
    });
    expect(await names('surety_lane_d%')).toEqual([]);
  });

  test('is not made without request: the lane uses the live database', async () => {
    const data = await scene.open('lane_e', {}, ['orders']);
    expect(data).toEqual([{ store: 'orders-db', mode: 'shared', branch: null }]);
    expect(addressOf('lane_e')).toBe(live);
    expect(scene.data.reapCommand('lane_e')).toBeNull();
  });

  test('of an unknown store is refused with a list of the known stores', async () => {
    await expect(scene.open('lane_f', { other: 'branch' })).rejects.toMatchObject({
      code: 'DATASTORE_UNKNOWN',
      remedy: expect.stringContaining('orders-db'),
    });
  });

  test('can exist for several lanes at once, one for each', async () => {
    const lanes = ['lane_1', 'lane_2', 'lane_3', 'lane_4'];
    await Promise.all(lanes.map((lane) => scene.open(lane, { 'orders-db': 'branch' })));
    expect(new Set(lanes.map(addressOf)).size).toBe(4);
    for (const lane of lanes) expect(await count(addressOf(lane), 'orders')).toBeGreaterThan(0);
  });
});

describe('an empty Postgres', () => {
  test('has the migrations and seeds of its version, and no live data', async () => {
    await scene.open('lane_g', { 'orders-db': 'empty' });
    expect(await ask(addressOf('lane_g'), 'SELECT * FROM added')).toEqual([{ id: 7 }]);
    await expect(count(addressOf('lane_g'), 'orders')).rejects.toThrow('does not exist');
  });
});

describe.runIf(isDeep)('the template of a Postgres branch', () => {
  const find = async (): Promise<{ oid: number; name: string; note: string }> => {
    const own = `left(encode(sha256(current_database()::bytea), 'hex'), 16)`;
    const note = `shobj_description(oid, 'pg_database') AS note`;
    const [row] = await ask<{ oid: number; name: string; note: string }>(
      live,
      `SELECT oid::int, datname AS name, ${note} FROM pg_database
       WHERE datname = 'surety_template_' || ${own}`,
    );
    if (!row) throw new Error('There is no template.');
    return row;
  };

  test('is reused until the live schema changes or it is too old', async () => {
    await scene.open('lane_h', { 'orders-db': 'branch' });
    const first = await find();
    await scene.open('lane_i', { 'orders-db': 'branch' });
    expect(await find()).toEqual(first);
    expect(await scene.data.status()).toEqual([
      {
        store: 'orders-db',
        kind: 'postgres',
        template: { name: first.name, ageMs: expect.any(Number), bytes: expect.any(Number) },
        lanes: ['lane_h', 'lane_i'],
      },
    ]);

    await user.query('CREATE TABLE later (id int)');
    await scene.open('lane_j', { 'orders-db': 'branch' });
    const second = await find();
    expect(second.oid).not.toBe(first.oid);
    expect(await count(addressOf('lane_j'), 'later')).toBe(0);

    const old = JSON.stringify({ ...JSON.parse(second.note), at: 0 });
    await ask(live, `COMMENT ON DATABASE ${second.name} IS '${old}'`);
    await scene.open('lane_k', { 'orders-db': 'branch' });
    expect((await find()).oid).not.toBe(second.oid);
  });
});

describe('when a lane ends, its Postgres branch', () => {
  test('is dropped despite open connections, and dropping it again does nothing', async () => {
    await scene.open('lane_l', { 'orders-db': 'branch' });
    const connected = new pg.Client({ connectionString: addressOf('lane_l') });
    connected.on('error', () => undefined);
    await connected.connect();
    await scene.data.close('lane_l');
    expect(await names('surety_lane_l%')).toEqual([]);
    await scene.data.close('lane_l');
    await connected.end().catch(() => undefined);
  });

  test('is dropped by a separate program when the daemon is not running', async () => {
    await scene.open('lane_m', { 'orders-db': 'branch' });
    const [program = '', ...words] = scene.data.reapCommand('lane_m') ?? [];
    expect(words.join(' ')).not.toContain('s3cret');
    execFileSync(program, words, { stdio: 'pipe', env: {} });
    expect(await names('surety_lane_m%')).toEqual([]);
    expect(readdirSync(join(scene.root, 'data'))).toEqual([]);
  });

  test('is dropped after a crash, while the branches of open lanes are kept', async () => {
    await scene.open('lane_n', { 'orders-db': 'empty' });
    await scene.open('lane_o', { 'orders-db': 'empty' });
    await scene.data.recover(['lane_o']);
    expect(await names('surety_lane_n%')).toEqual([]);
    expect(await names('surety_lane_o%')).toHaveLength(1);
  });
});

describe('a Postgres failure', () => {
  test('in a migration is reported without the password, and leaves nothing behind', async () => {
    scene.write('migrate.cjs', 'console.error(process.env.DATABASE_URL); process.exit(4)');
    const opening = scene.open('lane_p', { 'orders-db': 'branch' });
    await expect(opening).rejects.toMatchObject({
      code: 'DATA_BRANCH_FAILED',
      message: expect.stringMatching(/failed \(code 4\).*:\*\*\*@/s),
    });
    await expect(opening).rejects.not.toThrow('s3cret');
    scene.write('migrate.cjs', migrate);
    expect(await names('surety_lane_p%')).toEqual([]);
    expect(existsSync(join(scene.root, 'data', 'lane_p.json'))).toBe(false);
  });

  test('by an unreachable server is reported, and the cleanup is remembered until it is back', async () => {
    const away = createDataScene(`
services:
  orders: { command: x, port: 1, stores: [db] }
datastores:
  db: { kind: postgres, url: "postgres://nobody:s3cret@127.0.0.1:1/x", variable: DATABASE_URL }
`);
    await expect(away.open('lane_q', { db: 'branch' }, ['orders'])).rejects.toMatchObject({
      code: 'DATA_BRANCH_FAILED',
    });
    expect(readdirSync(join(away.root, 'data'))).toEqual(['lane_q.json']);
    await away.end();
  });
});
