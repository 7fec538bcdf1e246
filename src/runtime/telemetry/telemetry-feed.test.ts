import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createClock,
  type JsonObject,
  openSigningKey,
  redactSecrets,
  systemRandom,
} from '../../kernel/index.ts';
import type { Lane } from '../../lanes/index.ts';
import { type Ledger, openLedger } from '../../ledger/index.ts';
import { openSqliteStore } from '../../ledger/sqlite/store.ts';
import type { Telemetry } from '../../telemetry/index.ts';
import { projections } from '../compose/projections.ts';
import { TelemetryFeed } from './telemetry-feed.ts';

let directory: string;
let ledger: Ledger;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'surety-feed-'));
  ledger = await openLedger({
    store: openSqliteStore({
      file: join(directory, 'ledger.db'),
      workspace: 'default',
      threads: false,
    }),
    clock: createClock(),
    random: systemRandom,
    redact: redactSecrets,
    key: openSigningKey(join(directory, 'key.pem')),
    projections,
  });
});

afterAll(async () => {
  await ledger.close();
  rmSync(directory, { recursive: true });
});

/** Telemetry as far as it is told things: it keeps them until it is lost. */
class Told {
  pid: number | undefined = 1;
  rows: { deployments: JsonObject[]; alerts: JsonObject[] } = { deployments: [], alerts: [] };
  system: string[] = [];
  /** For so many deployments. */
  room = Number.POSITIVE_INFINITY;

  readonly telemetry = {
    ask: async (call: string, body: object) => this.#answer(call, body as JsonObject),
  } as Telemetry;

  #answer(call: string, body: JsonObject): unknown {
    if (call === 'POST /control/query') {
      const view = String(body.sql).endsWith('deployments') ? 'deployments' : 'alerts';
      const marks = this.rows[view].map(({ atNs }) => BigInt(String(atNs))).toSorted();
      return { rows: [[marks.at(-1)?.toString() ?? null]] };
    }
    if (call !== 'POST /control/record') return void this.system.push(call);
    const { deployments = [], alerts = [] } = body as unknown as Partial<Told['rows']>;
    const taken = deployments.slice(0, this.room);
    this.rows.deployments.push(...taken);
    this.rows.alerts.push(...alerts);
    return { refused: deployments.length - taken.length };
  }
}

const told = new Told();
let lanes: readonly Lane[] = [];
const start = () =>
  new TelemetryFeed({
    ledger,
    telemetry: told.telemetry,
    pid: () => told.pid,
    lanes: async () => lanes,
    names: (open) => ({ peers: {}, lanes: open.map(({ lane }) => lane) }),
    targets: async () => [],
  });

const deploy = (version: string) => {
  const body = { service: 'orders', version, previous: '', note: '' };
  return ledger.append({ kind: 'deployment-recorded', actor: 'person:ada', body });
};
const versions = () => told.rows.deployments.map(({ version }) => version);

// proves: monitoring.replayed
test('the feed sends ledger entries once, and again after telemetry has lost them', async () => {
  const feed = start();
  await deploy('v1');
  const alert = { alert: 'slow', service: 'orders', metric: 'm', from: 0, to: 1 };
  await ledger.append({ kind: 'alert-raised', actor: 'surety:alerts', body: alert });
  await feed.look();
  expect(versions()).toEqual(['v1']);
  expect(told.rows.alerts).toMatchObject([{ name: 'slow', state: 'firing', source: 'surety' }]);

  // Two in one batch have the same time; each is told.
  await Promise.all([deploy('v2'), deploy('v3')]);
  await feed.look();
  await feed.look();
  expect(versions()).toEqual(['v1', 'v2', 'v3']);

  // Another daemon, and the same rows.
  await start().look();
  expect(versions()).toHaveLength(3);

  told.rows = { deployments: [], alerts: [] };
  told.pid = 2;
  await feed.look();
  expect(versions()).toEqual(['v1', 'v2', 'v3']);
  expect(told.rows.alerts).toHaveLength(1);
});

test('the feed sends only the entries again that did not fit', async () => {
  const feed = start();
  await feed.look();
  const before = versions().length;
  told.room = 1;
  await Promise.all([deploy('r1'), deploy('r2'), deploy('r3')]);
  await feed.look();
  expect(versions().slice(before)).toEqual(['r1']);
  told.room = Number.POSITIVE_INFINITY;
  await feed.look();
  await feed.look();
  expect(versions().slice(before)).toEqual(['r1', 'r2', 'r3']);
});

test('the feed sends the names of the system only when they change', async () => {
  const feed = start();
  told.system = [];
  await feed.look();
  await deploy('v4');
  await feed.look();
  const system = ['PUT /control/names', 'PUT /control/targets'];
  expect(told.system).toEqual(system);
  lanes = [{ lane: 'lane_1' } as Lane];
  await deploy('v5');
  await feed.look();
  expect(told.system).toEqual([...system, ...system]);
});

test('the feed sends nothing where there is no telemetry', async () => {
  const before = versions().length;
  told.pid = undefined;
  await deploy('v6');
  await start().look();
  expect(versions()).toHaveLength(before);
});
