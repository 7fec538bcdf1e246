import { fault } from '../../kernel/index.ts';
import type { Head } from '../api-schema.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { StoredContent } from '../content.ts';
import type { StoredEntry } from '../entry.ts';
import { ledgerLimits } from '../limits.ts';
import { pagesAfter } from '../pages.ts';
import type { Row } from '../projection.ts';
import type { Store, StoreReader } from '../store.ts';
import { listenForAppends } from './appends.ts';
import { openPool, type Query, queryWith } from './connection.ts';
import { checkSchema, prepareSchema } from './schema.ts';
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
