import pg from 'pg';
import { fault, isFault } from '../../kernel/index.ts';
import type { Head } from '../api-schema.ts';
import type { StoredEntry } from '../entry.ts';
import type { Row } from '../projection.ts';
import type { Batch, StoreSession } from '../store.ts';
import { appendChannel } from './appends.ts';
import { type Query, queryWith } from './connection.ts';
import { postgresFault } from './postgres-fault.ts';

/** Locks the workspace's head row: until this ends, no other daemon decides anything here. */
export async function beginSession(
  pool: pg.Pool,
  workspace: string,
  keys: readonly string[],
): Promise<StoreSession> {
  const client = await pool.connect().catch((error) => {
    throw postgresFault(error);
  });
  // A connection that breaks while nothing is being asked of it says so by an event.
  const onError = (): void => undefined;
  client.on('error', onError);
  const release = (broken: boolean): void => {
    client.off('error', onError);
    client.release(broken);
  };
  try {
    return await openSession(client, workspace, keys, release);
  } catch (error) {
    release(true);
    throw postgresFault(error);
  }
}

async function openSession(
  client: pg.PoolClient,
  workspace: string,
  keys: readonly string[],
  release: (broken: boolean) => void,
): Promise<StoreSession> {
  const query = queryWith(client);
  const head = await lockHead(client, workspace);
  const load = (wanted: readonly string[]): Promise<readonly Row[]> =>
    loadRows(query, workspace, wanted);
  const rows = await load(keys);
  let ended = false;
  const end = (broken: boolean): void => {
    if (!ended) release(broken);
    ended = true;
  };
  return {
    head,
    rows,
    load,
    hashAt: async (seq) => {
      const sql = 'SELECT hash FROM surety.entries WHERE workspace = $1 AND seq = $2';
      const [found] = await query<{ hash: string }>(sql, [workspace, seq]);
      return found?.hash;
    },
    commit: (batch) => commit(query, workspace, batch, end),
    rollback: async () => {
      if (ended) return;
      await query('ROLLBACK').then(
        () => end(false),
        () => end(true),
      );
    },
  };
}

/** Two statements in one message: the lock costs one round trip per batch. */
async function lockHead(client: pg.PoolClient, workspace: string): Promise<Head> {
  const name = pg.escapeLiteral(workspace);
  // The types of pg do not say that two statements give two results.
  const results = (await client.query(
    `BEGIN; SELECT seq, at, hash FROM surety.heads WHERE workspace = ${name} FOR UPDATE`,
  )) as unknown as pg.QueryResult<Head>[];
  const head = results[1]?.rows[0];
  if (head) return head;
  throw fault('LEDGER_CORRUPT', { reason: 'the row that says where the chain ends is missing' });
}

async function loadRows(
  query: Query,
  workspace: string,
  keys: readonly string[],
): Promise<readonly Row[]> {
  if (keys.length === 0) return [];
  const sql = 'SELECT key, value FROM surety.rows WHERE workspace = $1 AND key = ANY($2)';
  return query(sql, [workspace, keys]);
}

async function commit(
  query: Query,
  workspace: string,
  batch: Batch,
  end: (broken: boolean) => void,
): Promise<void> {
  try {
    await write(query, workspace, batch);
  } catch (error) {
    // Nothing was committed: the connection is given up, and with it the transaction.
    end(true);
    throw error;
  }
  try {
    await query(`${moveHead(workspace, batch)}; COMMIT`);
    end(false);
  } catch (error) {
    end(true);
    const inDoubt = isFault(error, 'STORE_UNAVAILABLE');
    throw inDoubt ? fault('LEDGER_IN_DOUBT', { entries: batch.entries.length }, error) : error;
  }
}

/** Sent together with COMMIT; every value is a number, a hash or a checked name. */
function moveHead(workspace: string, batch: Batch): string {
  const { seq, at, hash } = batch.entries.at(-1) as StoredEntry;
  const name = pg.escapeLiteral(workspace);
  return (
    `UPDATE surety.heads SET seq = ${seq}, at = ${at}, hash = ${pg.escapeLiteral(hash)} ` +
    `WHERE workspace = ${name}; NOTIFY ${pg.escapeIdentifier(appendChannel(workspace))}`
  );
}

async function write(query: Query, workspace: string, batch: Batch): Promise<void> {
  await insertEntries(query, workspace, batch.entries);
  if (batch.contents.length > 0) await insertContents(query, workspace, batch.contents);
  await writeRows(query, workspace, batch.rows);
  for (const { subject, seq } of batch.shreds) {
    await query(
      `UPDATE surety.contents SET salt = NULL, value = NULL, shredded_by = $3
       WHERE workspace = $1 AND subject = $2 AND shredded_by IS NULL`,
      [workspace, subject, seq],
    );
  }
}

/** One statement per table, however many rows: columns travel as arrays. */
async function insertEntries(
  query: Query,
  workspace: string,
  entries: Batch['entries'],
): Promise<void> {
  await query(
    `INSERT INTO surety.entries
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
       $7::text[], $8::text[], $9::text[], $10::text[])`,
    [
      workspace,
      ...columns(entries, ['seq', 'at', 'kind', 'actor', 'salt', 'body', 'digest', 'prev', 'hash']),
    ],
  );
}

async function insertContents(
  query: Query,
  workspace: string,
  contents: Batch['contents'],
): Promise<void> {
  await query(
    `INSERT INTO surety.contents
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::text[], $8::bigint[])`,
    [
      workspace,
      ...columns(contents, ['seq', 'name', 'subject', 'digest', 'salt', 'value', 'shreddedBy']),
    ],
  );
}

async function writeRows(query: Query, workspace: string, rows: Batch['rows']): Promise<void> {
  const removed = rows.filter(({ value }) => value === null).map(({ key }) => key);
  if (removed.length > 0) {
    await query('DELETE FROM surety.rows WHERE workspace = $1 AND key = ANY($2)', [
      workspace,
      removed,
    ]);
  }
  const kept = rows.filter(({ value }) => value !== null);
  if (kept.length === 0) return;
  await query(
    `INSERT INTO surety.rows SELECT $1, * FROM unnest($2::text[], $3::text[])
     ON CONFLICT (workspace, key) DO UPDATE SET value = excluded.value`,
    [workspace, ...columns(kept, ['key', 'value'])],
  );
}

function columns<Item>(items: readonly Item[], names: readonly (keyof Item)[]): unknown[][] {
  return names.map((name) => items.map((item) => item[name]));
}
