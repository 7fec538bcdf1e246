import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { isFault, type Json } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { TelemetryStore } from '../store/store.ts';
import type { SqlAnswer, SqlQuestion } from './answer.ts';
import { type CheckedQuery, checkQuery } from './check.ts';
import { guarded, type QueryWatch } from './guard.ts';
import { narrow } from './narrow.ts';
import { countedIn, emptyBecause, type SearchContext, searchedIn } from './search.ts';
import { toJson } from './value.ts';

/** Answers one question. It reads on a connection of its own, which writes nothing. */
export async function ask(store: TelemetryStore, question: SqlQuestion): Promise<SqlAnswer> {
  return askOn({ store, connection: await store.connect() }, question);
}

/** The same on a connection that is used for nothing else, and closed afterwards. */
export async function askOn(
  { store, connection }: SearchContext,
  question: SqlQuestion,
  watch: QueryWatch = {},
): Promise<SqlAnswer> {
  const msMax = Math.min(
    question.msMax ?? telemetryLimits.telemetryQueryMsMax,
    telemetryLimits.telemetryQueryMsMax,
  );
  try {
    const bounds = { msMax, ...watch };
    const answer = await guarded(connection, bounds, () =>
      answerOn({ store, connection }, question),
    );
    connection.closeSync();
    return answer;
  } catch (error) {
    // To close one that still runs would wait for it.
    if (!isFault(error, 'QUERY_UNSTOPPABLE')) connection.closeSync();
    throw error;
  }
}

async function answerOn(
  { store, connection }: SearchContext,
  question: SqlQuestion,
): Promise<SqlAnswer> {
  await narrow(connection, question.lanes);
  await connection.run('BEGIN TRANSACTION READ ONLY');
  const checked = await checkQuery(connection, question.sql);
  const started = performance.now();
  const result = await read(connection, checked, question);
  const elapsedMs = performance.now() - started;
  // Counting takes longer than most questions: it is done where it tells why nothing was found,
  // and where not all may be told.
  const isCounted = result.rows.length === 0 || question.lanes !== undefined;
  const searched = isCounted
    ? await countedIn(connection, checked.views)
    : await searchedIn({ store, connection }, checked.views);
  const empty = result.rows.length > 0 ? null : emptyBecause(searched);
  return { query: checked.sql, ...result, elapsedMs, searched, empty };
}

type Result = Pick<SqlAnswer, 'columns' | 'rows' | 'isTruncated'>;

async function read(
  connection: DuckDBConnection,
  checked: CheckedQuery,
  question: SqlQuestion,
): Promise<Result> {
  const result = await connection.stream(checked.sql);
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, at) => ({ name, type: String(types[at]) }));
  return { columns, ...(await readRows(result, question)) };
}

async function readRows(
  result: DuckDBResult,
  question: SqlQuestion,
): Promise<Pick<SqlAnswer, 'rows' | 'isTruncated'>> {
  const rowsMax = Math.min(
    question.rowsMax ?? Number.POSITIVE_INFINITY,
    telemetryLimits.telemetryAnswerRowsMax,
  );
  const rows: Json[][] = [];
  let bytes = 0;
  for await (const page of result.yieldConvertedRows(toJson)) {
    for (const row of page) {
      bytes += JSON.stringify(row).length;
      if (rows.length >= rowsMax || bytes > telemetryLimits.telemetryAnswerBytesMax) {
        return { rows, isTruncated: true };
      }
      rows.push(row as Json[]);
    }
  }
  return { rows, isTruncated: false };
}
