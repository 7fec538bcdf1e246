import { type Json, redactSecrets } from '../../../kernel/index.ts';
import { laneLimits } from '../../limits.ts';
import { readOnly } from '../read-only.ts';
import type { TableRows } from '../store.ts';
import { type PostgresQuery, quoted, withSession } from './session.ts';
import { type Table, tablesOf, tellName } from './tables.ts';

/** The oldest transaction that is not over yet: what is written from now on is not older. */
export function markTransactions(url: string): Promise<string> {
  return withSession(readOnly(url), async (query) => {
    const [row] = await query<{ mark: string }>(
      `SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::numeric % 4294967296)::text AS mark`,
    );
    return row?.mark ?? '';
  });
}

/** Rows that were written since, as they are now; tables that would take long are left out. */
export function readNewRows(url: string, mark: string): Promise<TableRows[]> {
  return withSession(readOnly(url), async (query) => {
    await query(`SET statement_timeout = ${laneLimits.newRowsMsMax}`);
    const found: TableRows[] = [];
    for (const table of await tablesOf(query)) {
      const rows = await newRowsOf(query, table, mark);
      if (rows) found.push({ table: tellName(table), key: table.key, rows });
    }
    return found;
  });
}

async function newRowsOf(
  query: PostgresQuery,
  { schema, name, estimate }: Table,
  mark: string,
): Promise<Json[] | null> {
  if (Number(estimate) > laneLimits.scannedRowsMax) return null;
  const sql = `SELECT to_jsonb(t) AS row FROM ${quoted(schema)}.${quoted(name)} AS t
    WHERE age(t.xmin) <= age($1::text::xid) LIMIT $2`;
  // A table may be gone, or not for us to read.
  const rows = await query<{ row: Json }>(sql, [mark, laneLimits.comparedRowsMax + 1]).catch(
    () => null,
  );
  if (rows === null || rows.length > laneLimits.comparedRowsMax) return null;
  return rows.map(({ row }) => redactSecrets(row));
}
