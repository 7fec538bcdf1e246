import { showName } from '../../kernel/index.ts';
import type { AnswerColumn, TableRow } from '../api-schema.ts';
import type { SearchedView, SqlAnswer } from '../query/answer.ts';

/** What a query gave, each row by the names of its columns. */
export interface ResultTable {
  readonly columns: readonly AnswerColumn[];
  readonly rows: readonly TableRow[];
  /** Whether there was more than a query may give. */
  readonly isCut: boolean;
  readonly elapsedMs: number;
  /** What was looked through, and since when anything of it is kept. */
  readonly searched: readonly SearchedView[];
}

/** Read-only SQL over the views. */
export type RunQuery = (sql: string) => Promise<ResultTable>;

export function numberIn(row: TableRow | undefined, column: string): number {
  return Number(row?.[column] ?? 0);
}

export function textIn(row: TableRow | undefined, column: string): string {
  return String(row?.[column] ?? '');
}

/** The same for a sentence: it was chosen by whoever reported it. */
export function nameIn(row: TableRow | undefined, column: string): string {
  return showName(textIn(row, column));
}

/** An answer of the store. Where two columns have one name, the later ones get a number. */
export function tableOf({
  columns,
  rows,
  isTruncated,
  elapsedMs,
  searched,
}: SqlAnswer): ResultTable {
  const seen = new Map<string, number>();
  const named = columns.map(({ name, type }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return { name: times === 1 ? name : `${name}_${times}`, type };
  });
  return {
    columns: named,
    rows: rows.map((cells) =>
      Object.fromEntries(named.map(({ name }, at) => [name, cells[at] ?? null])),
    ),
    isCut: isTruncated,
    elapsedMs,
    searched,
  };
}
