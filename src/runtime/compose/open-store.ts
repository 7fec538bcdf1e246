import { existsSync, statSync } from 'node:fs';
import { fault } from '../../kernel/index.ts';
import type { Store, StoreReader } from '../../ledger/index.ts';
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
 * To SQLite an empty file is a new database. The executor file is written after the first entries,
 * so if it exists, an empty ledger was truncated, and a new chain would hide that.
 */
export function checkNotEmptied({ ledgerFile, executorFile }: WorkspacePlace): void {
  const isEmpty = statSync(ledgerFile, { throwIfNoEntry: false })?.size === 0;
  if (!isEmpty || !existsSync(executorFile)) return;
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
