import type { SearchedView } from '../query/answer.ts';

/** The searched views, in words. */
export function describeSearch(searched: readonly SearchedView[]): string {
  if (searched.length === 0) return 'none of the views';
  const parts = searched.map(({ view, rows, from, to }) =>
    rows === 0 ? `${view} (none)` : `${view} (${rows} rows from ${from} to ${to})`,
  );
  return parts.join(', ');
}
