import type { Json } from '../../kernel/index.ts';
import type { AnswerColumn } from '../api-schema.ts';

/** A query: SQL over the views, and the maximum size of the answer. */
export type SqlQuestion = {
  readonly sql: string;
  readonly rowsMax?: number;
  readonly msMax?: number;
  /** Keys of the lanes that the caller may see in addition to the baseline; undefined: all. */
  readonly lanes?: readonly string[];
  /** The views that the caller may read; undefined: all. */
  readonly views?: readonly string[];
  /** The services whose rows the caller may see; undefined: all. */
  readonly services?: readonly string[];
  /** The owner of the probes whose captures the caller may see; empty: of none; undefined: all. */
  readonly capturesOf?: string;
  /** The agent that asks; undefined for people and for Surety itself, which are served first. */
  readonly caller?: string;
};

/** A view that a query searched. */
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
  /** Whether rows or parts of texts were left out. */
  readonly isTruncated: boolean;
  readonly elapsedMs: number;
  readonly searched: readonly SearchedView[];
  /** Why there are no rows; null if there are some. */
  readonly empty: string | null;
}
