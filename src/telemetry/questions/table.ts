import { showName } from '../../kernel/index.ts';
import type { AnswerColumn, TableRow } from '../api-schema.ts';
import type { SearchedView, SqlAnswer } from '../query/answer.ts';

/** The result of a query, each row by column names. */
export interface ResultTable {
  readonly columns: readonly AnswerColumn[];
  readonly rows: readonly TableRow[];
  /** Whether the result was larger than the limit. */
  readonly isCut: boolean;
  readonly elapsedMs: number;
  /** The searched views, and since when they have rows. */
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

/** The same within a sentence, since the reporter chose the text. */
export function nameIn(row: TableRow | undefined, column: string): string {
  return showName(textIn(row, column));
}

/** An answer of the store. If several columns have the same name, the later ones get a number. */
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
