import type pg from 'pg';
import { fault, zeroHash } from '../../kernel/index.ts';
import { pendingMigrations, readMigrations } from '../migrations.ts';
import type { Query } from './connection.ts';
import { postgresFault } from './postgres-fault.ts';

const migrations = new URL('./migrations/', import.meta.url);
const findMigrations = "SELECT to_regclass('surety.migrations') AS found";
const readVersion = 'SELECT coalesce(max(version), 0)::integer AS version FROM surety.migrations';

/** Any fixed number: daemons that start at once must not migrate at once. */
const migrationLock = 7_821_001;

export async function prepareSchema(pool: pg.Pool, workspace: string): Promise<void> {
  const client = await pool.connect().catch((error) => {
    throw postgresFault(error);
  });
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await migrate(client);
    await client.query('INSERT INTO surety.heads VALUES ($1, 0, 0, $2) ON CONFLICT DO NOTHING', [
      workspace,
      zeroHash,
    ]);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(true);
    throw postgresFault(error);
  }
}

async function migrate(client: pg.PoolClient): Promise<void> {
  const all = readMigrations(migrations);
  for (const { version, sql } of pendingMigrations(all, await schemaVersion(client))) {
    await client.query(sql);
    await client.query('INSERT INTO surety.migrations VALUES ($1, now())', [version]);
  }
}

/** For whoever only reads: nothing is created, and another schema than ours is not guessed at. */
export async function checkSchema(query: Query, workspace: string): Promise<void> {
  const [table] = await query<{ found: string | null }>(findMigrations);
  const path = `workspace "${workspace}" in Postgres`;
  if (table?.found === null) throw fault('LEDGER_MISSING', { path });
  const version = (await query<{ version: number }>(readVersion))[0]?.version ?? 0;
  const pending = pendingMigrations(readMigrations(migrations), version);
  if (pending.length === 0) return;
  throw fault('LEDGER_CORRUPT', { reason: `its schema has version ${version}` });
}

/** Creates nothing where it finds a schema: a role that may only write rows can start a daemon. */
async function schemaVersion(client: pg.PoolClient): Promise<number> {
  const { rows: known } = await client.query(findMigrations);
  if (known[0].found === null) {
    await client.query('CREATE SCHEMA IF NOT EXISTS surety');
    await client.query(
      'CREATE TABLE surety.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)',
    );
  }
  const { rows } = await client.query(readVersion);
  return rows[0].version;
}
