import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from '../store/engine.ts';

const ofNoLane: readonly string[] = ['deployments', 'alerts'];

/** Rows are found by these without reading all; of another lane they tell nothing that was said. */
const unmasked: readonly string[] = ['time', 'trace_key'];

/**
 * Puts views of this connection alone in front of the others, with nothing in them but the baseline
 * and these lanes. A query can name no schema, so it can't reach past them. DuckDB may compute what
 * a query asks of a row before it looks at the row's lane, and tell in an error what it met there:
 * so values of other lanes are not there at all.
 */
export async function narrow(
  connection: DuckDBConnection,
  lanes: readonly string[] | undefined,
): Promise<void> {
  if (lanes === undefined) return;
  const isSeen = `lane IN (${['', ...lanes].map(quoted).join(', ')})`;
  for (const [view, columns] of await columnsByView(connection)) {
    const masked = columns.map((name) => `CASE WHEN ${isSeen} THEN "${name}" END AS "${name}"`);
    await connection.run(
      `CREATE TEMP VIEW ${view} AS SELECT * REPLACE (${masked.join(', ')})
        FROM memory.main.${view} WHERE ${isSeen}`,
    );
  }
}

type Columns = ReadonlyMap<string, readonly string[]>;

/** What is to be masked of each view that has rows of lanes. */
async function columnsByView(connection: DuckDBConnection): Promise<Columns> {
  const result = await connection.runAndReadAll(
    `SELECT table_name, list(column_name) FILTER (WHERE NOT column_name IN (${list(unmasked)}))
      FROM duckdb_columns() WHERE database_name = 'memory' AND schema_name = 'main'
      AND NOT table_name IN (${list(ofNoLane)}) GROUP BY table_name`,
  );
  const rows = result.getRowsJson() as [string, string[]][];
  return new Map(rows);
}

const list = (names: readonly string[]): string => names.map(quoted).join(', ');
