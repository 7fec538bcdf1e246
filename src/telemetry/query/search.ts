import type { DuckDBConnection } from '@duckdb/node-api';
import type { Searched } from './answer.ts';

/** How much there was to look through, and of which time. */
export async function search(
  connection: DuckDBConnection,
  views: readonly string[],
): Promise<readonly Searched[]> {
  return Promise.all(views.map((view) => extent(connection, view)));
}

async function extent(connection: DuckDBConnection, view: string): Promise<Searched> {
  const found = await connection.runAndReadAll(
    `SELECT count(*), epoch_ms(min(time)), epoch_ms(max(time)) FROM ${view}`,
  );
  const [rows, first, last] = found.getRows()[0] ?? [];
  return { view, rows: Number(rows), from: moment(first), to: moment(last) };
}

function moment(ms: unknown): string | null {
  return typeof ms === 'bigint' ? new Date(Number(ms)).toISOString() : null;
}

/** Why nothing was found, as far as it can be told from what there was. */
export function emptyBecause(searched: readonly Searched[]): string {
  const bare = searched.filter((one) => one.rows === 0);
  if (searched.length === 0) return 'The query reads none of the views.';
  if (bare.length > 0) return `There is nothing in ${bare.map((one) => one.view).join(', ')} yet.`;
  const told = searched.map(
    ({ view, rows, from, to }) => `${view} has ${rows} rows from ${from} to ${to}`,
  );
  return `None of the rows that there are fit the query: ${told.join('; ')}.`;
}
