import type { PostgresQuery } from './session.ts';

/** A digest of tables, columns and indexes: a migration of the live database changes it. */
export async function liveSchema(query: PostgresQuery): Promise<string> {
  const [row] = await query<{ digest: string }>(
    `SELECT md5(coalesce(string_agg(line, E'\\n' ORDER BY line COLLATE "C"), '')) AS digest FROM (
       SELECT format('%s.%s.%s %s %s', n.nspname, c.relname, a.attname,
         format_type(a.atttypid, a.atttypmod), a.attnotnull) AS line
       FROM pg_attribute a
       JOIN pg_class c ON c.oid = a.attrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE a.attnum > 0 AND NOT a.attisdropped
         AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
       UNION ALL
       SELECT indexdef FROM pg_indexes WHERE schemaname !~ '^pg_'
     ) AS parts`,
  );
  return row?.digest ?? '';
}
