import type { Nanoseconds } from '../rows.ts';

/** How a value travels to DuckDB. Everything that can be computed there in columns, is. */
export type Staging = 'text' | 'nanoseconds' | 'number' | 'flag';

export interface Column<Row> {
  readonly name: string;
  readonly staging: Staging;
  /** What is stored, as SQL over the staged value. */
  readonly stored: string;
  /** The type that it is stored as. */
  readonly type: string;
  read(row: Row): string | Nanoseconds | number | boolean | null;
}

/** A column whose name in SQL is its name among the rows, in snake case. */
type Text<Row> = { [Key in keyof Row]: Row[Key] extends string ? Key : never }[keyof Row] & string;
type Numeric<Row> = {
  [Key in keyof Row]: Row[Key] extends number | null ? Key : never;
}[keyof Row] &
  string;
type Flag<Row> = { [Key in keyof Row]: Row[Key] extends boolean ? Key : never }[keyof Row] & string;

export interface Columns<Row> {
  text(key: Text<Row>): Column<Row>;
  /** A moment, to the microsecond: only such a type compares with `now()`. */
  time(read: (row: Row) => Nanoseconds): Column<Row>;
  milliseconds(read: (row: Row) => Nanoseconds): Column<Row>;
  whole(key: Numeric<Row>): Column<Row>;
  real(key: Numeric<Row>): Column<Row>;
  flag(key: Flag<Row>): Column<Row>;
}

export function columnsOf<Row>(): Columns<Row> {
  return {
    text: (key) => column(key, 'text', 'VARCHAR'),
    time: (read) => ({
      name: 'time',
      staging: 'nanoseconds',
      stored: 'make_timestamptz(time // 1000)',
      type: 'TIMESTAMPTZ',
      read,
    }),
    milliseconds: (read) => ({
      name: 'duration_ms',
      staging: 'nanoseconds',
      stored: 'duration_ms / 1e6',
      type: 'DOUBLE',
      read,
    }),
    whole: (key) => column(key, 'number', 'BIGINT'),
    real: (key) => column(key, 'number', 'DOUBLE'),
    flag: (key) => column(key, 'flag', 'BOOLEAN'),
  };
}

function column<Row>(key: keyof Row & string, staging: Staging, type: string): Column<Row> {
  const name = snakeCase(key);
  return {
    name,
    staging,
    // A reporter may say anything; what is no such number is not known.
    stored: type === 'BIGINT' ? `TRY_CAST(${name} AS BIGINT)` : name,
    type,
    read: (row) => row[key] as string | number | boolean | null,
  };
}

function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
