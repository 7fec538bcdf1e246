import { describe, expect, test } from 'vitest';
import { openTestLedger } from '../src/ledger/ledger.fixture.ts';
import { openSqliteReader, openSqliteStore } from '../src/ledger/sqlite/store.ts';
import { projections } from '../src/runtime/compose/projections.ts';
import {
  decided,
  expectKept,
  faultCounts,
  inAll,
  inProcess,
  overHttp,
  sendAll,
} from './harness/outcomes.ts';
import { noSmallDisk, SmallDisk } from './harness/small-disk.ts';
import { expectSound } from './harness/sound-ledger.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const kibi = 1_024;
const texts = numbered('note', 300);
const title = noSmallDisk === null ? 'a small disk' : `a small disk (left out: ${noSmallDisk})`;

describe.skipIf(noSmallDisk !== null)(title, () => {
  // proves: ledger.disk-full
  test.each(
    [0, 40, 150].flatMap(
      (left) =>
        [
          [left, 'appends', inProcess],
          [left, 'decisions', decided],
        ] as const,
    ),
  )(
    'that has only %i KiB left refuses %s with STORE_FULL and continues when there is room',
    async (left, _, by) => {
      await using disk = new SmallDisk(1_024 * kibi);
      const options = { file: `${disk.path}/ledger.db`, workspace: 'default' };
      const reader = () => openSqliteReader(options);
      const ledger = await openTestLedger(openSqliteStore(options));
      const before = await sendAll(numbered('before', 20), by(ledger));
      disk.fill(left * kibi);
      const full = await sendAll(texts, by(ledger));
      // follows: STORE_FULL
      expect(Object.keys(faultCounts(full))).toEqual(['STORE_FULL']);
      expectKept(inAll(before, full), await expectSound(reader));

      disk.free();
      const after = await sendAll([...full.refused.keys()], by(ledger));
      expect(faultCounts(after)).toEqual({});
      await ledger.close();
      expectKept(inAll(before, full, after), await expectSound(reader));
    },
  );

  test('that fills up does not stop a daemon, which recovers by itself', async () => {
    // Room for the log of the database at its longest: else that alone fills the disk again.
    await using disk = new SmallDisk(32_768 * kibi);
    await using workspace = new Workspace({ parent: disk.path });
    await workspace.up();
    const send = overHttp(workspace.client());
    disk.fill(400 * kibi);
    const full = await sendAll(texts, send);
    expect(full.refused.size).toBeGreaterThan(0);
    expect([...full.refused.values()].filter(({ retryable }) => !retryable)).toEqual([]);
    expect((await workspace.run('status')).running).toBe(true);
    expectKept(full, await readNotes(workspace));

    disk.free();
    const later = await sendAll(numbered('later', 100), send);
    expect(faultCounts(later)).toEqual({});
    // The outcomes that found no room are recorded by and by; then every key has its answer.
    const repeated = await until('nothing is in flight any more', async () => {
      const outcomes = await sendAll(texts, send);
      return [...outcomes.refused.values()].some(({ retryable }) => retryable) ? null : outcomes;
    });
    expectKept(inAll(full, later, repeated), await readNotes(workspace));
    expect((await workspace.surety('ledger', 'verify')).code).toBe(0);
  });

  // proves: ledger.damage
  test('that is read-only allows verify and refuses writes with a clear fault', async () => {
    await using disk = new SmallDisk(1_024 * kibi);
    const options = { file: `${disk.path}/ledger.db`, workspace: 'default' };
    const ledger = await openTestLedger(openSqliteStore(options));
    const sent = await sendAll(numbered('note', 20), inProcess(ledger));
    await ledger.close();
    disk.makeReadOnly();
    expectKept(sent, await expectSound(() => openSqliteReader(options)));
    const store = openSqliteStore(options);
    await expect(openTestLedger(store)).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
    await store.close();
  });

  test.each([
    ['full', (disk: SmallDisk) => disk.fill(), 'STORE_FULL'],
    ['read-only', (disk: SmallDisk) => disk.makeReadOnly(), 'STORE_READ_ONLY'],
  ])('that is %s keeps a daemon from starting, with a clear fault', async (_, spoil, code) => {
    await using disk = new SmallDisk(256 * kibi);
    const workspace = new Workspace({ parent: disk.path });
    spoil(disk);
    const { code: exit, value } = await workspace.surety('up');
    expect([exit, value.fault?.code]).toEqual([3, code]);
    expect(workspace.processes()).toEqual([]);
  });
});

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index}`);
}

function readNotes(workspace: Workspace): ReturnType<typeof expectSound> {
  return expectSound(() => workspace.openReader(), projections);
}
