import { Client } from 'pg';
import type { LedgerSetup } from '../../../src/ledger/ledger.contract.ts';
import { openPostgresReader, openPostgresStore } from '../../../src/ledger/postgres/store.ts';

/** An empty ledger in a database that nobody else uses: dropping a schema is ten times cheaper. */
export async function postgresLedger(url: string, workspace = 'default'): Promise<LedgerSetup> {
  const options = { url, workspace };
  const tamper = (sql: string): Promise<void> => runSql(url, sql);
  await tamper('SET client_min_messages = warning; DROP SCHEMA IF EXISTS surety CASCADE');
  return {
    open: () => openPostgresStore(options),
    openReader: () => openPostgresReader(options),
    remove: async () => undefined,
    tamper,
  };
}

export async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
