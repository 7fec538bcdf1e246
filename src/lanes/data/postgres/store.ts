import { type Json, redactSecrets, sha256 } from '../../../kernel/index.ts';
import { laneLimits } from '../../limits.ts';
import { branchFailed } from '../branch-failed.ts';
import { runSteps } from '../run-steps.ts';
import type { BranchRecord, BranchRequest, DataStore, TableRows } from '../store.ts';
import { withDatabase } from './address.ts';
import { adviceFor } from './advice.ts';
import { createLike } from './create-like.ts';
import { markTransactions, readNewRows } from './new-rows.ts';
import { type PostgresQuery, quoted, withSession } from './session.ts';
import { type Table, tablesOf, tellName } from './tables.ts';
import { findTemplate, withTemplate } from './template.ts';

/** A database per lane on the server of the live one. */
export const postgresStore: DataStore = {
  create,
  drop,
  check: ({ url }) => withSession(url, async (query) => void (await query('SELECT 1'))),
  rows: ({ environment }) => readRows(Object.values(environment)[0] ?? ''),
  mark: ({ url }) => markTransactions(url),
  newRows: ({ url }, mark) => readNewRows(url, mark),
  template: ({ url }) => withSession(url, findTemplate),
};

async function create(request: BranchRequest): Promise<BranchRecord> {
  const { lane, store, config } = request;
  const branch = branchName(request);
  const address = config.url;
  try {
    const environment = { [config.variable]: withDatabase(address, branch) };
    const record: BranchRecord = { lane, store, branch, kind: 'postgres', address, environment };
    request.note(record);
    await createDatabase(request, branch);
    await runSteps(request, record);
    return record;
  } catch (error) {
    throw branchFailed(error, { store, addresses: [address], advice: adviceFor(error) });
  }
}

function createDatabase({ config, mode }: BranchRequest, branch: string): Promise<void> {
  return withSession(config.url, async (query) => {
    if (mode === 'empty') return createLike(query, branch);
    await withTemplate(query, config, (template) =>
      query(`CREATE DATABASE ${quoted(branch)} TEMPLATE ${quoted(template)}`),
    );
  });
}

/** FORCE ends the connections of what did not stop in time. */
async function drop({ store, branch, address }: BranchRecord): Promise<void> {
  try {
    await withSession(address, (query) =>
      query(`DROP DATABASE IF EXISTS ${quoted(branch)} WITH (FORCE)`),
    );
  } catch (error) {
    throw branchFailed(error, { store, addresses: [address], advice: adviceFor(error) });
  }
}

const nameBytesMax = 63;

function branchName({ lane, store }: BranchRequest): string {
  const name = `surety_${lane}_${store}`.replaceAll(/[^A-Za-z0-9_]/g, '_').toLowerCase();
  return name.length <= nameBytesMax ? name : `surety_${sha256(name).slice(0, 32)}`;
}

/** Every table of a database with its rows; those with more rows than are compared are left out. */
function readRows(url: string): Promise<TableRows[]> {
  return withSession(url, async (query) => {
    // One look at everything: a row must not be missed between two tables.
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const found: TableRows[] = [];
    for (const table of await tablesOf(query)) {
      const rows = await rowsOf(query, table);
      if (rows) found.push({ table: tellName(table), key: table.key, rows });
    }
    return found;
  });
}

async function rowsOf(query: PostgresQuery, { schema, name }: Table): Promise<Json[] | null> {
  const place = `${quoted(schema)}.${quoted(name)}`;
  const sql = `SELECT to_jsonb(t) AS row FROM ${place} AS t LIMIT $1`;
  const rows = await query<{ row: Json }>(sql, [laneLimits.comparedRowsMax + 1]);
  return rows.length > laneLimits.comparedRowsMax
    ? null
    : rows.map(({ row }) => redactSecrets(row));
}
