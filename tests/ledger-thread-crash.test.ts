import { describe, expect, test } from 'vitest';
import { fault } from '../src/kernel/index.ts';
import { openTestLedger } from '../src/ledger/ledger.fixture.ts';
import { openSqliteReader, openSqliteStore, type SqliteStore } from '../src/ledger/sqlite/store.ts';
import type { Store, StoreSession } from '../src/ledger/store.ts';
import { decided, expectKept, inAll, inProcess, sendAll } from './harness/outcomes.ts';
import { Scratch } from './harness/scratch.ts';
import { expectSound } from './harness/sound-ledger.ts';

/** When the thread crashes: what a session does from then on, and every second one anew. */
type Crash = (store: SqliteStore, session: StoreSession) => StoreSession | Promise<StoreSession>;

const crashes: Record<string, Crash> = {
  'while a batch is decided': async (store, session) => {
    await store.crashWorker();
    return session;
  },
  'while it commits': (store, session) => ({
    ...session,
    commit: (batch) => {
      const committing = session.commit(batch);
      void store.crashWorker();
      return committing;
    },
  }),
  'when it has committed and not yet told': (store, session) => ({
    ...session,
    commit: async (batch) => {
      await session.commit(batch);
      await store.crashWorker();
      throw fault('LEDGER_IN_DOUBT', { entries: batch.entries.length });
    },
  }),
};

const texts = Array.from({ length: 1_000 }, (_, index) => `note ${index}`);

// proves: ledger.kill
describe.each(Object.entries({ appends: inProcess, decisions: decided }))('1,000 %s', (_, by) => {
  test.each(Object.entries(crashes))(
    'survive a crash of the ledger thread %s',
    async (_, crash) => {
      using scratch = new Scratch();
      const options = { file: scratch.file('ledger.db'), workspace: 'default' };
      const reader = () => openSqliteReader(options);
      const ledger = await openTestLedger(crashing(openSqliteStore(options), crash));
      const sent = await sendAll(texts, by(ledger));
      expect([...sent.refused.values()].filter(({ retryable }) => !retryable)).toEqual([]);
      expectKept(sent, await expectSound(reader));

      // Whoever was refused asks again, of the same ledger: it goes on by itself.
      const again = await sendAll([...sent.refused.keys()], by(ledger));
      expectKept(inAll(sent, again), await expectSound(reader));
      await ledger.close();
    },
  );
});

/** The store as it is, with a thread that crashes in every second session. */
function crashing(store: SqliteStore, crash: Crash): Store {
  let sessions = 0;
  const begin: Store['begin'] = async (...given) => {
    const session = await store.begin(...given);
    return ++sessions % 2 === 0 ? crash(store, session) : session;
  };
  return { ...store, begin };
}
