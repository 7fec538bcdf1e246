import type { SqlQueryAnswer } from '../api-schema.ts';
import { telemetryLimits } from '../limits.ts';
import type { Asker } from './ask.ts';
import { boundRows } from './bound-rows.ts';
import { describeSearch } from './describe-search.ts';

/** Answers SQL of the caller, which selects its own time range. */
export async function askSql(
  sql: string,
  rowsMax: number | undefined,
  { query }: Asker,
): Promise<SqlQueryAnswer> {
  const table = await query(sql);
  const searched = describeSearch(table.searched);
  const bounded = boundRows(table, rowsMax ?? telemetryLimits.telemetryQuestionRows);
  const isEmpty = table.rows.length === 0;
  return {
    said: isEmpty ? `No rows. Looked through: ${searched}.` : formatCount(bounded),
    query: sql,
    searched,
    columns: table.columns,
    elapsedMs: table.elapsedMs,
    isEmpty,
    ...bounded,
  };
}

function formatCount({ rows, isCut }: Pick<SqlQueryAnswer, 'rows' | 'isCut'>): string {
  const count = `${rows.length} row${rows.length === 1 ? '' : 's'}`;
  return isCut ? `The first ${count}; there are more.` : `${count}.`;
}
