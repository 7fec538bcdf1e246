import { readFile } from 'node:fs/promises';
import type { Database, Postgres } from './postgres.ts';

// Services start at the same time; only one of them may create a table.
const LOCK_ID = 7_270_001;

const schemaFolder = new URL('../schema/', import.meta.url);

/**
 * Applies those of the named schema files that this database has not seen yet, each exactly once.
 */
export async function migrate(postgres: Postgres, files: readonly string[]): Promise<string[]> {
  return postgres.transaction(async (database) => {
    await database.query(`SELECT pg_advisory_xact_lock(${LOCK_ID})`);
    await database.query(
      'CREATE TABLE IF NOT EXISTS schema_migrations (file text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const pending = await pendingFiles(database, files);
    for (const file of pending) await apply(database, file);
    return pending;
  });
}

async function pendingFiles(database: Database, files: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ file: string }>('SELECT file FROM schema_migrations');
  const applied = new Set(rows.map((row) => row.file));
  return files.filter((file) => !applied.has(file));
}

async function apply(database: Database, file: string): Promise<void> {
  await database.query(await readFile(new URL(file, schemaFolder), 'utf8'));
  await database.query('INSERT INTO schema_migrations (file) VALUES ($1)', [file]);
}
