import type { Store, StoreReader } from '../ledger/index.ts';
import type { Config } from '../system/index.ts';
import type { Place } from './place.ts';

/** Adapters are loaded when they are chosen: SQLite users never load the Postgres driver. */
export async function openStore(place: Place, config: Config): Promise<Store> {
  const { workspace, ledger } = config;
  if (ledger.store === 'postgres') {
    const { openPostgresStore } = await import('../ledger/postgres/store.ts');
    return openPostgresStore({ url: ledger.url as string, workspace });
  }
  const { openSqliteStore } = await import('../ledger/sqlite/store.ts');
  return openSqliteStore({ file: place.ledgerFile, workspace });
}

export async function openReader(place: Place, config: Config): Promise<StoreReader> {
  const { workspace, ledger } = config;
  if (ledger.store === 'postgres') {
    const { openPostgresReader } = await import('../ledger/postgres/store.ts');
    return openPostgresReader({ url: ledger.url as string, workspace });
  }
  const { openSqliteReader } = await import('../ledger/sqlite/store.ts');
  return openSqliteReader({ file: place.ledgerFile, workspace });
}
