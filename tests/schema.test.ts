import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openPostgresStore } from '../src/ledger/postgres/store.ts';
import { openSqliteStore } from '../src/ledger/sqlite/store.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { Scratch } from './harness/scratch.ts';

// proves: ledger.schema
test('the SQLite schema equals the reviewed one', async () => {
  using scratch = new Scratch();
  const file = scratch.file('ledger.db');
  const store = openSqliteStore({ file, workspace: 'default' });
  await store.head();
  await store.close();
  const database = new DatabaseSync(file);
  const rows = database.prepare(
    'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name',
  );
  const schema = rows.all().map(({ sql }) => `${sql};\n`);
  database.close();
  await expect(schema.join('\n')).toMatchFileSnapshot('../src/ledger/sqlite/schema.snapshot.sql');
});

test('the PostgreSQL schema equals the reviewed one', async () => {
  const url = await freshDatabase();
  const store = await openPostgresStore({ url, workspace: 'default' });
  await store.close();
  const client = new pg.Client(url);
  await client.connect();
  const { rows: columns } = await client.query<{ line: string }>(`
    SELECT table_name || '.' || column_name || ' ' || data_type
      || coalesce(' collate ' || collation_name, '')
      || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END AS line
    FROM information_schema.columns WHERE table_schema = 'surety'
    ORDER BY table_name, ordinal_position`);
  const { rows: indexes } = await client.query<{ line: string }>(
    `SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'surety' ORDER BY indexname`,
  );
  await client.end();
  const schema = [...columns, ...indexes].map(({ line }) => `${line}\n`).join('');
  await expect(schema).toMatchFileSnapshot('../src/ledger/postgres/schema.snapshot.txt');
});
