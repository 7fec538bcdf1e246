import { type Instant, showInstant } from '../../kernel/index.ts';

/** A text in SQL. In DuckDB nothing but a quote ends one: a backslash is a letter like others. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function timeLiteral(at: Instant): string {
  return `TIMESTAMPTZ '${showInstant(at)}'`;
}
