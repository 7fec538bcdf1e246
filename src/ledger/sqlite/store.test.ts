import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeep } from '../../../tests/harness/deep.ts';
import { historyContract } from '../history.contract.ts';
import { type LedgerSetup, ledgerContract } from '../ledger.contract.ts';
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
