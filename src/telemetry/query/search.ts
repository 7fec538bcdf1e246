import type { DuckDBConnection } from '@duckdb/node-api';
import type { Extent } from '../store/extents.ts';
import type { TelemetryStore } from '../store/store.ts';
import type { TableName } from '../store/tables.ts';
import type { SearchedView } from './answer.ts';

/** What views that are no tables are made of. */
const madeOf: Readonly<Record<string, TableName>> = { requests: 'spans' };

/** How much was looked through, and of which time; all of it, whatever of it the query wanted. */
export async function searchedIn(
  { store, connection }: SearchContext,
  views: readonly string[],
): Promise<readonly SearchedView[]> {
  return Promise.all(
    views.map(async (view) =>
      // Made of two tables, and mostly of the one that is not called so.
      view === 'hops'
        ? counted(connection, view)
        : searchedView(view, await store.extent(madeOf[view] ?? (view as TableName))),
    ),
  );
}

/** Who is asked, and on which connection. */
export interface SearchContext {
  readonly store: TelemetryStore;
  readonly connection: DuckDBConnection;
}

/** The same counted in the views themselves, which may show less than there is. */
export async function countedIn(
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

/** Why nothing was found, as far as it can be told from what there was. */
export function emptyBecause(searched: readonly SearchedView[]): string {
  const bare = searched.filter((one) => one.rows === 0);
  if (searched.length === 0) return 'The query reads none of the views.';
  if (bare.length > 0) return `There is nothing in ${bare.map((one) => one.view).join(', ')} yet.`;
  const all = searched.map(
    ({ view, rows, from, to }) => `${view} has ${rows} rows from ${from} to ${to}`,
  );
  return `None of the rows that there are fit the query: ${all.join('; ')}.`;
}
