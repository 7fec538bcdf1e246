import { existsSync, statSync } from 'node:fs';
import { fault } from '../../kernel/index.ts';
import type { SignedHead, Store, StoreReader } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';

/** Adapters are loaded when they are chosen: SQLite users never load the Postgres driver. */
export async function openStore(place: WorkspacePlace, config: Config): Promise<Store> {
  const { workspace, ledger } = config;
  if (ledger.store === 'postgres') {
    const { openPostgresStore } = await import('../../ledger/postgres/store.ts');
    return openPostgresStore({ url: ledger.url as string, workspace });
  }
  const { openSqliteStore } = await import('../../ledger/sqlite/store.ts');
  return openSqliteStore({ file: place.ledgerFile, workspace });
}

/**
 * To SQLite a missing or empty file is a new database. If a head was signed here, or the executor
 * file exists, which is written after the first entries, a new chain would hide a loss.
 */
export function checkNotLost({ ledgerFile, executorFile }: WorkspacePlace, head: SignedHead): void {
  const size = statSync(ledgerFile, { throwIfNoEntry: false })?.size;
  if (size === undefined && head.read()) {
    throw fault('LEDGER_DIVERGED', { reason: `${ledgerFile} is missing, though it had entries` });
  }
  if (size !== 0 || !existsSync(executorFile)) return;
  throw fault('LEDGER_CORRUPT', { reason: `${ledgerFile} is empty, though it had entries` });
}

export async function openReader(place: WorkspacePlace, config: Config): Promise<StoreReader> {
  const { workspace, ledger } = config;
  if (ledger.store === 'postgres') {
    const { openPostgresReader } = await import('../../ledger/postgres/store.ts');
    return openPostgresReader({ url: ledger.url as string, workspace });
  }
  const { openSqliteReader } = await import('../../ledger/sqlite/store.ts');
  return openSqliteReader({ file: place.ledgerFile, workspace });
}
