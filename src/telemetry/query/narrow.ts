import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from '../store/engine.ts';
import type { SqlQuestion } from './answer.ts';

/** These columns keep searches fast, and reveal no content of other lanes. */
const unmasked: readonly string[] = ['time', 'trace_key'];

/**
 * Shadows the views, on this connection only, with views that contain only the baseline and these
 * lanes, and rows of these services. A query cannot name a schema, so it cannot reach the
 * originals. DuckDB may evaluate expressions on a row before it checks the row's lane, and show
 * values in an error. So the values of other rows are masked as well.
 */
export async function narrow(connection: DuckDBConnection, seen: Seen): Promise<void> {
  const { lanes, services, capturesOf } = seen;
  if ([lanes, services, capturesOf].every((value) => value === undefined)) return;
  for (const [view, columns] of await columnsByView(connection)) {
    const isSeen = conditionOn(columns, seen);
    if (isSeen === '') continue;
    const masked = columns
      .filter((name) => !unmasked.includes(name))
      .map((name) => `CASE WHEN ${isSeen} THEN "${name}" END AS "${name}"`);
    await connection.run(
      `CREATE TEMP VIEW ${view} AS SELECT * REPLACE (${masked.join(', ')})
        FROM memory.main.${view} WHERE ${isSeen}`,
    );
  }
}

/** Empty if every row of the view may be seen. */
function conditionOn(columns: readonly string[], { lanes, services, capturesOf }: Seen): string {
  const isOneOf = (column: string, values: readonly string[]): string =>
    `${column} IN (${values.map(quoted).join(', ') || 'NULL'})`;
  const ofService = (wanted: readonly string[]): string[] => {
    if (columns.includes('service')) return [isOneOf('service', wanted)];
    const isHop = columns.includes('caller');
    return isHop ? [`(${isOneOf('caller', wanted)} OR ${isOneOf('callee', wanted)})`] : [];
  };
  return [
    ...(lanes && columns.includes('lane') ? [isOneOf('lane', ['', ...lanes])] : []),
    ...(services ? ofService(services) : []),
    ...(capturesOf === undefined ? [] : ofOwner(columns, capturesOf)),
  ].join(' AND ');
}

/**
 * Captures are rows of logs and metrics, and belong to whoever placed the probe. The owner comes
 * first in what we write, so that a captured value cannot imitate it.
 */
function ofOwner(columns: readonly string[], owner: string): string[] {
  const begins = quoted(`{"owner":${JSON.stringify(owner)},`);
  const isOwn = (column: string): string => `starts_with(${column}::VARCHAR, ${begins})`;
  if (columns.includes('source') && columns.includes('attributes')) {
    return [`(source <> 'probe' OR ${isOwn('attributes')})`];
  }
  if (!columns.includes('labels') || !columns.includes('unit')) return [];
  return [`(NOT starts_with(name, 'probe.') OR ${isOwn('labels')})`];
}

type Seen = Pick<SqlQuestion, 'lanes' | 'services' | 'capturesOf'>;

type Columns = ReadonlyMap<string, readonly string[]>;

async function columnsByView(connection: DuckDBConnection): Promise<Columns> {
  const result = await connection.runAndReadAll(
    `SELECT table_name, list(column_name) FROM duckdb_columns()
      WHERE database_name = 'memory' AND schema_name = 'main' GROUP BY table_name`,
  );
  const rows = result.getRowsJson() as [string, string[]][];
  return new Map(rows);
}
