import { type Json, showName } from '../../kernel/index.ts';
import type { Answer, AnswerColumn, Searched } from '../query/answer.ts';

export type Row = Readonly<Record<string, Json>>;

/** What a query gave, each row by the names of its columns. */
export interface Table {
  readonly columns: readonly AnswerColumn[];
  readonly rows: readonly Row[];
  /** Whether there was more than a query may give. */
  readonly isCut: boolean;
  readonly elapsedMs: number;
  /** What was looked through, and since when anything of it is kept. */
  readonly searched: readonly Searched[];
}

/** Read-only SQL over the views. */
export type Query = (sql: string) => Promise<Table>;

export function numberIn(row: Row | undefined, column: string): number {
  return Number(row?.[column] ?? 0);
}

export function textIn(row: Row | undefined, column: string): string {
  return String(row?.[column] ?? '');
}

/** The same for a sentence: it was chosen by whoever reported it. */
export function nameIn(row: Row | undefined, column: string): string {
  return showName(textIn(row, column));
}

/** An answer of the store. Where two columns have one name, the later ones get a number. */
export function tableOf({ columns, rows, isTruncated, elapsedMs, searched }: Answer): Table {
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
