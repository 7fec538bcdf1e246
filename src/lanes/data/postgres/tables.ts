import { laneLimits } from '../../limits.ts';
import type { PostgresQuery } from './session.ts';

export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly key: string[];
  /** About how many rows it has. */
  readonly estimate: number;
}

export function tablesOf(query: PostgresQuery): Promise<Table[]> {
  return query<Table>(
    `SELECT n.nspname AS schema, c.relname AS name, c.reltuples AS estimate,
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

export function tellName({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}
