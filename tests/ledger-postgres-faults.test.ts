import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LedgerSetup } from '../src/ledger/ledger.contract.ts';
import { openTestLedger } from '../src/ledger/ledger.fixture.ts';
import { projections } from '../src/runtime/compose/projections.ts';
import { runs } from './harness/deep.ts';
import { atMost, persistent } from './harness/gate/persistent.ts';
import {
  expectKept,
  faultCounts,
  inAll,
  inProcess,
  overHttp,
  sendAll,
} from './harness/outcomes.ts';
import { type Postgres, startPostgres } from './harness/postgres/postgres.ts';
import { postgresLedger, runSql } from './harness/postgres/postgres-ledger.ts';
import { paused, withChildren } from './harness/server-processes.ts';
import { expectSound } from './harness/sound-ledger.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const callers = 200;
const texts = Array.from({ length: runs(1_500, 4_000) }, (_, index) => `note ${index}`);

let postgres: Postgres;
let setup: LedgerSetup;

/** A server of our own: the one that all tests share must not go away. */
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  setup = await postgresLedger(postgres.url);
});

// proves: ledger.postgres-away
describe(`with ${callers} callers that retry, no entry is lost when`, () => {
  test.each([1, 300, 800].slice(0, runs(2, 3)))(
    'the server crashes and restarts after %i notes',
    async (moment) => {
      await appendThrough(moment, async () => {
        postgres.kill();
        await postgres.restart();
      });
    },
  );

  test('the server stops and starts normally', async () => {
    await appendThrough(300, () => postgres.restart());
  });

  test('the server pauses for a while', async () => {
    await appendThrough(300, () => paused(withChildren(postgres.pid), () => delay(700)));
  });

  test('connections are closed one after the other, mostly at COMMIT', async () => {
    let ended = 0;
    await appendThrough(1, async () => {
      ended = await endConnections(postgres.url);
    });
    expect(ended).toBeGreaterThan(0);
  });
});

/** Every note is acknowledged or in doubt; who was refused was told to try again, and did. */
async function appendThrough(moment: number, trouble: () => Promise<void>): Promise<void> {
  const ledger = await openTestLedger(await setup.open());
  const { send, faults } = persistent(inProcess(ledger));
  const over = Promise.withResolvers<void>();
  const sent = await sendAll(texts, atMost(callers, send), (count) => {
    if (count === moment) trouble().then(over.resolve, over.reject);
  });
  await over.promise;
  await ledger.close();
  const known = new Set(['STORE_UNAVAILABLE', 'LEDGER_IN_DOUBT']);
  expect([...faults].filter((code) => !known.has(code))).toEqual([]);
  expect(Object.keys(faultCounts(sent)).filter((code) => code !== 'LEDGER_IN_DOUBT')).toEqual([]);
  expectKept(sent, await expectSound(setup.openReader));
}

const rounds = runs(300, 1_000);

/** Ends those that are committing or have just committed; tells how many there were. */
async function endConnections(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  let ended = 0;
  for (let round = 0; round < rounds; round++) {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'surety' AND query LIKE '%COMMIT'`,
    );
    ended += rowCount ?? 0;
  }
  await client.end();
  return ended;
}

test('a daemon survives a crash of its database and answers every key', async () => {
  const config = `ledger: {store: postgres, url: "${await postgres.createDatabase()}"}`;
  await using workspace = new Workspace({ config });
  await workspace.up();
  const send = overHttp(workspace.client());
  const readNotes = () => expectSound(() => workspace.openReader(), projections);
  let restarted: Promise<void> | undefined;
  const first = await sendAll(texts.slice(0, 400), send, (count) => {
    if (count > 1) return;
    postgres.kill();
    restarted = postgres.restart();
  });
  await restarted;
  expect([...first.refused.values()].filter(({ retryable }) => !retryable)).toEqual([]);
  expectKept(first, await readNotes());

  const repeated = await until('nothing is in flight any more', async () => {
    const outcomes = await sendAll(texts.slice(0, 400), send);
    return [...outcomes.refused.values()].some(({ retryable }) => retryable) ? null : outcomes;
  });
  expectKept(inAll(first, repeated), await readNotes());
});

// proves: ledger.schema
test('writer and reader refuse a database of a newer Surety', async () => {
  await (await setup.open()).close();
  await runSql(postgres.url, 'INSERT INTO surety.migrations VALUES (99, now())');
  await expect(setup.open()).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
  await expect(setup.openReader()).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
});

test('a reader reports a database without a ledger', async () => {
  await expect(setup.openReader()).rejects.toMatchObject({ code: 'LEDGER_MISSING' });
});
