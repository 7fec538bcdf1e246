import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { fault, isFault, type Json, limits } from '../../kernel/index.ts';
import type { Store } from '../store/store.ts';
import type { Answer, Question } from './answer.ts';
import { type CheckedQuery, checkQuery } from './check.ts';
import { narrow } from './narrow.ts';
import { queryFault } from './query-fault.ts';
import { emptyBecause, search } from './search.ts';
import { toJson } from './value.ts';

/** Answers one question. It reads on a connection of its own, which writes nothing. */
export async function ask(store: Store, question: Question): Promise<Answer> {
  const connection = await store.connect();
  try {
    await narrow(connection, question.lanes);
    await connection.run('BEGIN TRANSACTION READ ONLY');
    const checked = await checkQuery(connection, question.sql);
    return await answer(connection, checked, question);
  } finally {
    connection.closeSync();
  }
}

async function answer(
  connection: DuckDBConnection,
  checked: CheckedQuery,
  question: Question,
): Promise<Answer> {
  const started = performance.now();
  const result = await inTime(connection, question, () => read(connection, checked, question));
  const elapsedMs = performance.now() - started;
  const searched = await search(connection, checked.views);
  const empty = result.rows.length > 0 ? null : emptyBecause(searched);
  return { query: checked.sql, ...result, elapsedMs, searched, empty };
}

/** Ends the query when its time is over. */
async function inTime<Value>(
  connection: DuckDBConnection,
  question: Question,
  work: () => Promise<Value>,
): Promise<Value> {
  const msMax = Math.min(question.msMax ?? limits.telemetryQueryMsMax, limits.telemetryQueryMsMax);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.interrupt();
  }, msMax);
  try {
    return await work();
  } catch (error) {
    if (isFault(error)) throw error;
    if (isLate) throw fault('QUERY_TOO_SLOW', { ms: msMax });
    throw queryFault(error as Error);
  } finally {
    clearTimeout(timer);
  }
}

type Result = Pick<Answer, 'columns' | 'rows' | 'isTruncated'>;

async function read(
  connection: DuckDBConnection,
  checked: CheckedQuery,
  question: Question,
): Promise<Result> {
  const result = await connection.stream(checked.sql);
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, at) => ({ name, type: String(types[at]) }));
  return { columns, ...(await readRows(result, question)) };
}

async function readRows(
  result: DuckDBResult,
  question: Question,
): Promise<Pick<Answer, 'rows' | 'isTruncated'>> {
  const rowsMax = Math.min(
    question.rowsMax ?? Number.POSITIVE_INFINITY,
    limits.telemetryAnswerRowsMax,
  );
  const rows: Json[][] = [];
  let bytes = 0;
  for await (const page of result.yieldConvertedRows(toJson)) {
    for (const row of page) {
      bytes += JSON.stringify(row).length;
      if (rows.length >= rowsMax || bytes > limits.telemetryAnswerBytesMax) {
        return { rows, isTruncated: true };
      }
      rows.push(row as Json[]);
    }
  }
  return { rows, isTruncated: false };
}
