import type { Json } from '../../kernel/index.ts';
import type { AnswerColumn } from '../api-schema.ts';

/** What is asked: SQL over the views, and how much of an answer is wanted. */
export type SqlQuestion = {
  readonly sql: string;
  readonly rowsMax?: number;
  readonly msMax?: number;
  /** Keys of the lanes that the asker may see besides the baseline; undefined: all. */
  readonly lanes?: readonly string[];
};

/** What a query looked through. */
export interface SearchedView {
  readonly view: string;
  readonly rows: number;
  /** Times of the first and the last row, as ISO texts; null if there is none. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface SqlAnswer {
  readonly query: string;
  readonly columns: readonly AnswerColumn[];
  readonly rows: readonly (readonly Json[])[];
  /** Whether there were more rows, or larger ones, than are told. */
  readonly isTruncated: boolean;
  readonly elapsedMs: number;
  readonly searched: readonly SearchedView[];
  /** Why there are no rows; null if there are some. */
  readonly empty: string | null;
}
