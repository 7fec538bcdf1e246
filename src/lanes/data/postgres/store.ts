import { type Json, redactSecrets, sha256 } from '../../../kernel/index.ts';
import { laneLimits } from '../../limits.ts';
import { branchFailed } from '../branch-failed.ts';
import { runSteps } from '../run-steps.ts';
import type { BranchRecord, BranchRequest, DataStore, TableRows } from '../store.ts';
import { withDatabase } from './address.ts';
import { adviceFor } from './advice.ts';
import { createLike } from './create-like.ts';
import { type PostgresQuery, quoted, withSession } from './session.ts';
import { findTemplate, withTemplate } from './template.ts';

/** A database per lane on the server of the live one. */
export const postgresStore: DataStore = {
  create,
  drop,
  rows: ({ environment }) => readRows(Object.values(environment)[0] ?? ''),
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

interface Table {
  readonly schema: string;
  readonly name: string;
  readonly key: string[];
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

function tablesOf(query: PostgresQuery): Promise<Table[]> {
  return query<Table>(
    `SELECT n.nspname AS schema, c.relname AS name,
       ARRAY(SELECT a.attname::text FROM pg_index i
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
         WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY 1) AS key
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
     ORDER BY 1, 2 LIMIT $1`,
    [laneLimits.comparedTablesMax],
  );
}

async function rowsOf(query: PostgresQuery, { schema, name }: Table): Promise<Json[] | null> {
  const place = `${quoted(schema)}.${quoted(name)}`;
  const sql = `SELECT to_jsonb(t) AS row FROM ${place} AS t LIMIT $1`;
  const rows = await query<{ row: Json }>(sql, [laneLimits.comparedRowsMax + 1]);
  return rows.length > laneLimits.comparedRowsMax
    ? null
    : rows.map(({ row }) => redactSecrets(row));
}

function tellName({ schema, name }: Table): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}
