import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { fault, isFault, type Json } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { Extent } from '../store/extents.ts';
import type { TelemetryStore } from '../store/store.ts';
import type { TableName } from '../store/tables.ts';
import type { SearchedView, SqlAnswer, SqlQuestion } from './answer.ts';
import { type CheckedQuery, checkQuery } from './check.ts';
import { guarded, type QueryWatch } from './guard.ts';
import { narrow } from './narrow.ts';
import { toJson } from './value.ts';

/** Answers one query on its own connection, which cannot write. */
export async function ask(store: TelemetryStore, question: SqlQuestion): Promise<SqlAnswer> {
  return askOn({ store, connection: await store.connect() }, question);
}

/** The same on a connection that is used for nothing else and closed afterwards. */
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
    // Closing a connection with a running query would wait for the query.
    if (!isFault(error, 'QUERY_UNSTOPPABLE')) connection.closeSync();
    throw error;
  }
}

async function answerOn(
  { store, connection }: SearchContext,
  question: SqlQuestion,
): Promise<SqlAnswer> {
  const { lanes, services, capturesOf } = question;
  await narrow(connection, question);
  await connection.run('BEGIN TRANSACTION READ ONLY');
  const checked = await checkQuery(connection, question.sql);
  checkViews(checked, question);
  const started = performance.now();
  const result = await read(connection, checked, question);
  const elapsedMs = performance.now() - started;
  // Counting takes longer than most queries, so it is done only to explain an empty answer, and
  // when the caller may not see all lanes.
  const isCounted =
    result.rows.length === 0 || [lanes, services, capturesOf].some((one) => one !== undefined);
  const searched = isCounted
    ? await countedIn(connection, checked.views)
    : await searchedIn({ store, connection }, checked.views);
  const empty = result.rows.length > 0 ? null : emptyBecause(searched);
  return { query: checked.sql, ...result, elapsedMs, searched, empty };
}

function checkViews({ views }: CheckedQuery, { views: readable, caller = '' }: SqlQuestion): void {
  const unreadable = views.find((view) => readable && !readable.includes(view));
  if (unreadable) throw fault('READ_DENIED', { agent: caller, what: `the view ${unreadable}` });
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

/** The tables behind the views that are not tables. */
const madeOf: Readonly<Record<string, TableName>> = { requests: 'spans' };

/**
 * How many rows were searched, and of which times: all of the view, whatever the query selected.
 */
async function searchedIn(
  { store, connection }: SearchContext,
  views: readonly string[],
): Promise<readonly SearchedView[]> {
  return Promise.all(
    views.map(async (view) =>
      // This view has two tables, and mostly rows of the one with the other name.
      view === 'hops'
        ? counted(connection, view)
        : searchedView(view, await store.extent(madeOf[view] ?? (view as TableName))),
    ),
  );
}

/** The store, and the connection for the search. */
interface SearchContext {
  readonly store: TelemetryStore;
  readonly connection: DuckDBConnection;
}

/** The same, counted in the views themselves, which may show fewer rows. */
async function countedIn(
  connection: DuckDBConnection,
  views: readonly string[],
): Promise<readonly SearchedView[]> {
  return Promise.all(views.map((view) => counted(connection, view)));
}

async function counted(connection: DuckDBConnection, view: string): Promise<SearchedView> {
  const found = await connection.runAndReadAll(
    `SELECT count(*), epoch_ms(min(time)), epoch_ms(max(time)) FROM ${view}`,
  );
  const [rows, first, last] = found.getRows()[0] ?? [];
  const ms = (value: unknown) => (typeof value === 'bigint' ? Number(value) : null);
  return searchedView(view, { rows: Number(rows), firstMs: ms(first), lastMs: ms(last) });
}

function searchedView(view: string, { rows, firstMs, lastMs }: Extent): SearchedView {
  return { view, rows, from: moment(firstMs), to: moment(lastMs) };
}

function moment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** Why nothing was found, as far as the searched rows show it. */
function emptyBecause(searched: readonly SearchedView[]): string {
  const bare = searched.filter((one) => one.rows === 0);
  if (searched.length === 0) return 'The query reads none of the views.';
  if (bare.length > 0) return `There is nothing in ${bare.map((one) => one.view).join(', ')} yet.`;
  const all = searched.map(
    ({ view, rows, from, to }) => `${view} has ${rows} rows from ${from} to ${to}`,
  );
  return `None of the rows that there are fit the query: ${all.join('; ')}.`;
}
