import { describe, expect, test } from 'vitest';
import { projections } from '../src/runtime/compose/projections.ts';
import { runs } from './harness/deep.ts';
import { expectKept, faultCounts, type Outcomes, overHttp, sendAll } from './harness/outcomes.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { expectSound } from './harness/sound-ledger.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `note ${index}`);

/** How many at once: a store that takes its time has as many under way with fewer. */
const everyStore: readonly [name: string, notes: number, config: () => Promise<string>][] = [
  ['SQLite', runs(150, 1_000), async () => 'ledger: {store: sqlite}'],
  [
    'Postgres',
    runs(100, 400),
    async () => `ledger: {store: postgres, url: "${await freshDatabase()}"}`,
  ],
];

/** On Postgres, a crash of the gate is tried in each run of the tests. */
const stores = everyStore.slice(0, runs(1, 2));

interface Moment {
  readonly acknowledged?: number;
  /** As a share of all that are to be written. */
  readonly entries?: number;
}

/**
 * Each note is three entries (granted, written, settled), which come in batches, mostly in turn.
 */
const everyMoment: readonly [when: string, moment: Moment][] = [
  ['when some are written', { entries: 0.43 }],
  ['when the first are granted', { entries: 0.02 }],
  ['as the first is acknowledged', { acknowledged: 1 }],
];
const moments = everyMoment.slice(0, runs(1, 3));
const appends = runs(300, 1_000);

// proves: ledger.kill, gate.unknown
describe.each(stores)('kill -9 of the daemon, on %s, in %i appends', (_, notes, config) => {
  const texts = numbered(notes);

  test.each(moments)('%s loses and repeats no entry', async (_, moment) => {
    await using workspace = new Workspace({ config: await config() });
    const first = await sendAndKill(workspace, texts, moment);
    await expectCommandsAgree(workspace);
    expectKept(first, await readNotes(workspace));

    const { interrupted } = await workspace.up();
    const second = await sendAll(texts, overHttp(workspace.client()));
    const unknown = interrupted.length;
    expect(faultCounts(second)).toEqual(unknown > 0 ? { PROPOSAL_UNKNOWN: unknown } : {});
    const forgotten = [...first.acknowledged.keys()].filter((text) => second.refused.has(text));
    expect(forgotten).toEqual([]);
    expectKept(second, await readNotes(workspace));
  });
});

async function sendAndKill(
  workspace: Workspace,
  texts: readonly string[],
  moment: Moment,
): Promise<Outcomes> {
  const { pid } = await workspace.up();
  const sending = sendAll(texts, overHttp(workspace.client()), (count) => {
    if (count === moment.acknowledged) process.kill(pid, 'SIGKILL');
  });
  if (moment.entries !== undefined) {
    await untilEntries(workspace, Math.round(3 * texts.length * moment.entries));
    process.kill(pid, 'SIGKILL');
  }
  const sent = await sending;
  const inFlight = texts.length - sent.acknowledged.size;
  expect(faultCounts(sent)).toEqual(inFlight > 0 ? { DAEMON_NOT_RUNNING: inFlight } : {});
  return sent;
}

async function untilEntries(workspace: Workspace, entries: number): Promise<void> {
  await until(`the chain has ${entries} entries`, async () => {
    const reader = await workspace.openReader();
    const { seq } = await reader.head().finally(() => reader.close());
    return seq >= entries;
  });
}

// proves: ledger.kill, keeper.recovery
test(`kill -9 of the keeper disturbs none of ${appends} appends, and the daemon starts another`, async () => {
  await using workspace = new Workspace();
  const { keeper } = await workspace.up();
  const killed = keeper?.pid as number;
  const sent = await sendAll(numbered(appends), overHttp(workspace.client()), (count) => {
    if (count === 100) process.kill(killed, 'SIGKILL');
  });
  expect(faultCounts(sent)).toEqual({});
  expectKept(sent, await readNotes(workspace));
  const replaced = await until('there is another keeper', async () => {
    const { keeper } = await workspace.client().call('GET /v1/status', {});
    return keeper && keeper.pid !== killed ? keeper : null;
  });
  expect(workspace.processes()).toContain(replaced.pid);
});

async function expectCommandsAgree(workspace: Workspace): Promise<void> {
  const commands = ['verify', 'rebuild'].map((command) => workspace.surety('ledger', command));
  for (const answer of await Promise.all(commands)) {
    expect(answer).toMatchObject({ code: 0, value: { ok: true } });
  }
}

function readNotes(workspace: Workspace): ReturnType<typeof expectSound> {
  return expectSound(() => workspace.openReader(), projections);
}
