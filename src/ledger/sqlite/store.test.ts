import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { isDeep } from '../../../tests/harness/deep.ts';
import { historyContract } from '../history/history.contract.ts';
import { type LedgerSetup, ledgerContract } from '../ledger.contract.ts';
import { note, openTestLedger } from '../ledger.fixture.ts';
import { storeContract } from '../store.contract.ts';
import { openSqliteReader, openSqliteStore } from './store.ts';

async function setUp({ threads }: { readonly threads: boolean }): Promise<LedgerSetup> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-sqlite-'));
  const options = { file: join(directory, 'ledger.db'), workspace: 'default', threads };
  return {
    open: async () => openSqliteStore(options),
    openReader: async () => openSqliteReader(options),
    remove: async () => rmSync(directory, { recursive: true }),
    tamper: async (sql) => {
      const database = new DatabaseSync(options.file);
      database.exec(sql);
      database.close();
    },
  };
}

storeContract('SQLite', () => setUp({ threads: true }));
// Threads take longer to start than most tests of the ledger, which is the same with and without.
ledgerContract('SQLite', () => setUp({ threads: isDeep }));
historyContract('SQLite', () => setUp({ threads: isDeep }));

test('copies the log into the file of the database while it is written to', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'surety-sqlite-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'ledger.db');
  const ledger = await openTestLedger(openSqliteStore({ file, workspace: 'default' }));
  const { size } = statSync(file);
  const text = 'x'.repeat(500);
  await ledger.append(...Array.from({ length: 1_200 }, () => note(text)));
  expect(statSync(file).size).toBe(size);
  await ledger.append(...Array.from({ length: 400 }, () => note(text)));
  await expect.poll(() => statSync(file).size).toBeGreaterThan(1_600 * text.length);
  await ledger.close();
});
