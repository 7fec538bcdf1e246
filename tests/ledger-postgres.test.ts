import { expect, test } from 'vitest';
import { historyContract } from '../src/ledger/history/history.contract.ts';
import { ledgerContract } from '../src/ledger/ledger.contract.ts';
import { openTestLedger } from '../src/ledger/ledger.fixture.ts';
import { storeContract } from '../src/ledger/store.contract.ts';
import { expectKept, inProcess, sendAll } from './harness/outcomes.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { postgresLedger } from './harness/postgres/postgres-ledger.ts';
import { expectSound } from './harness/sound-ledger.ts';

const url = await freshDatabase();
// proves: ledger.stores
storeContract('Postgres', () => postgresLedger(url));
ledgerContract('Postgres', () => postgresLedger(url));
historyContract('Postgres', () => postgresLedger(url));

// proves: ledger.several-writers
test('two daemons that append 500 entries each at once write one unbroken chain', async () => {
  const setup = await postgresLedger(url);
  const open = async () => openTestLedger(await setup.open());
  const ledgers = await Promise.all([open(), open()]);
  const sent = await Promise.all(
    ledgers.map((ledger, daemon) => sendAll(texts(daemon), inProcess(ledger))),
  );
  await Promise.all(ledgers.map((ledger) => ledger.close()));
  const sound = await expectSound(setup.openReader);
  for (const outcomes of sent) {
    expect(outcomes.acknowledged.size).toBe(500);
    expectKept(outcomes, sound);
  }
  expect(sound.notes.size).toBe(1_000);
});

function texts(daemon: number): string[] {
  return Array.from({ length: 500 }, (_, index) => `daemon ${daemon}, note ${index}`);
}
