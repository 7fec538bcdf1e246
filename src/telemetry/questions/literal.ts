import { type Instant, showInstant } from '../../kernel/index.ts';

/** A text literal in SQL. In DuckDB only a quote ends it; a backslash has no meaning. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function timeLiteral(at: Instant): string {
  return `TIMESTAMPTZ '${showInstant(at)}'`;
}
