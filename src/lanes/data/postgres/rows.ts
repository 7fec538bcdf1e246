import { type Json, redactSecrets } from '../../../kernel/index.ts';
import { laneLimits } from '../../limits.ts';
import type { TableRows } from '../store.ts';
import { type PostgresQuery, quoted, withSession } from './session.ts';

interface Table {
  readonly schema: string;
  readonly name: string;
  readonly key: string[];
}

/** Every table of a database with its rows; those with more rows than are compared are left out. */
export function readRows(url: string): Promise<TableRows[]> {
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
