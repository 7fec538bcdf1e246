import type pg from 'pg';
import { fault, zeroHash } from '../../kernel/index.ts';
import type { Head } from '../api-schema.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { StoredContent } from '../content.ts';
import type { StoredEntry } from '../entry.ts';
import { ledgerLimits } from '../limits.ts';
import { pendingMigrations, readMigrations } from '../migrations.ts';
import { pagesAfter } from '../pages.ts';
import type { Row } from '../projection.ts';
import type { Store, StoreReader } from '../store.ts';
import { listenForAppends } from './appends.ts';
import { openPool, type Query, queryWith } from './connection.ts';
import { postgresFault } from './postgres-fault.ts';
import { beginSession } from './session.ts';

export interface PostgresStoreOptions {
  readonly url: string;
  readonly workspace: string;
}

/** The scaled ledger: several daemons may write one workspace, one batch at a time. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, workspace } = options;
  const pool = openPool(url);
  try {
    await prepareSchema(pool, workspace);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const query = queryWith(pool);
  const appends = listenForAppends(url, workspace);
  return {
    ...reader(query, workspace),
    begin: (keys) => beginSession(pool, workspace, keys),
    addCheckpoint: (checkpoint) => addCheckpoint(query, workspace, checkpoint),
    onAppend: appends.subscribe,
    close: async () => {
      await appends.close();
      await pool.end();
    },
  };
}

/** Reads one moment of the ledger, however long it takes and whatever is appended meanwhile. */
export async function openPostgresReader(options: PostgresStoreOptions): Promise<StoreReader> {
  const { url, workspace } = options;
  const pool = openPool(url);
  const client = await pool.connect().catch(async (error) => {
    await pool.end();
    throw fault('STORE_UNAVAILABLE', { reason: error.message }, error);
  });
  // A connection that breaks says so by an event; the next query rejects as well.
  client.on('error', () => undefined);
  const close = async (): Promise<void> => {
    client.release(true);
    await pool.end();
  };
  const query = queryWith(client);
  try {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await checkSchema(query, workspace);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...reader(query, workspace), close };
}

const entryColumns = 'workspace, seq, at, kind, actor, salt, body, digest, prev, hash';
const contentColumns = 'seq, name, subject, digest, salt, value, shredded_by AS "shreddedBy"';
const contentsPerPage = 50;

function reader(query: Query, workspace: string): Omit<StoreReader, 'close'> {
  const entries = (from: number, limit: number): Promise<StoredEntry[]> =>
    query(
      `SELECT ${entryColumns} FROM surety.entries
       WHERE workspace = $1 AND seq >= $2 ORDER BY seq LIMIT $3`,
      [workspace, from, limit],
    );
  return {
    workspace,
    head: () => readHead(query, workspace),
    entries,
    contents: (seq) =>
      query(
        `SELECT ${contentColumns} FROM surety.contents
         WHERE workspace = $1 AND seq = $2 ORDER BY name`,
        [workspace, seq],
      ),
    checkpoints: () =>
      query(
        `SELECT seq, at, hash, key_id AS "keyId", signature FROM surety.checkpoints
         WHERE workspace = $1 ORDER BY seq`,
        [workspace],
      ),
    // The server checks its own pages as it reads them.
    damage: async () => null,
    scanEntries: (from) =>
      pagesAfter<StoredEntry>((last) =>
        entries(last ? last.seq + 1 : from, ledgerLimits.scanPageEntries),
      ),
    scanContents: (from) =>
      pagesAfter<StoredContent>((last) =>
        query(
          `SELECT ${contentColumns} FROM surety.contents
           WHERE workspace = $1 AND (seq, name) > ($2, $3)
           ORDER BY seq, name LIMIT ${contentsPerPage}`,
          [workspace, last?.seq ?? from, last?.name ?? ''],
        ),
      ),
    scanRows: (prefix) =>
      pagesAfter<Row>((last) =>
        query(
          `SELECT key, value FROM surety.rows
           WHERE workspace = $1 AND key > $2 AND key >= $3 AND key < $4
           ORDER BY key LIMIT ${ledgerLimits.scanPageEntries}`,
          [workspace, last?.key ?? '', prefix, `${prefix}\x7f`],
        ),
      ),
  };
}

async function readHead(query: Query, workspace: string): Promise<Head> {
  const [head] = await query<Head>('SELECT seq, at, hash FROM surety.heads WHERE workspace = $1', [
    workspace,
  ]);
  if (head) return head;
  throw fault('LEDGER_MISSING', { path: `workspace "${workspace}" in Postgres` });
}

async function addCheckpoint(query: Query, workspace: string, c: Checkpoint): Promise<void> {
  await query(
    `INSERT INTO surety.checkpoints VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [workspace, c.seq, c.at, c.hash, c.keyId, c.signature],
  );
}

const migrations = new URL('./migrations/', import.meta.url);
const findMigrations = "SELECT to_regclass('surety.migrations') AS found";
const readVersion = 'SELECT coalesce(max(version), 0)::integer AS version FROM surety.migrations';

/** Any fixed number: daemons that start at once must not migrate at once. */
const migrationLock = 7_821_001;

async function prepareSchema(pool: pg.Pool, workspace: string): Promise<void> {
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
async function checkSchema(query: Query, workspace: string): Promise<void> {
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
