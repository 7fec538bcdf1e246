import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from '../store/engine.ts';

const ofNoLane: readonly string[] = ['deployments', 'alerts'];

/** These columns keep searches fast, and reveal no content of other lanes. */
const unmasked: readonly string[] = ['time', 'trace_key'];

/**
 * Shadows the views, on this connection only, with views that contain only the baseline and these
 * lanes. A query cannot name a schema, so it cannot reach the originals. DuckDB may evaluate
 * expressions on a row before it checks the row's lane, and show values in an error. So the values
 * of other lanes are masked as well.
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

/** The columns to mask, for each view with rows of lanes. */
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
