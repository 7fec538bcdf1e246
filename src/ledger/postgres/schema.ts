import type pg from 'pg';
import { zeroHash } from '../../kernel/index.ts';
import { pendingMigrations, readMigrations } from '../migrations.ts';
import { postgresFault } from './postgres-fault.ts';

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
  const all = readMigrations(new URL('./migrations/', import.meta.url));
  for (const { version, sql } of pendingMigrations(all, await schemaVersion(client))) {
    await client.query(sql);
    await client.query('INSERT INTO surety.migrations VALUES ($1, now())', [version]);
  }
}

/** Creates nothing where it finds a schema: a role that may only write rows can start a daemon. */
async function schemaVersion(client: pg.PoolClient): Promise<number> {
  const { rows: known } = await client.query("SELECT to_regclass('surety.migrations') AS found");
  if (known[0].found === null) {
    await client.query('CREATE SCHEMA IF NOT EXISTS surety');
    await client.query(
      'CREATE TABLE surety.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)',
    );
  }
  const { rows } = await client.query(
    'SELECT coalesce(max(version), 0)::integer AS version FROM surety.migrations',
  );
  return rows[0].version;
}
