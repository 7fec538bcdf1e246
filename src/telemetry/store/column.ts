import type { Nanoseconds } from '../rows.ts';

/**
 * How a value is passed to DuckDB. Each text costs a call, so words that many rows share are passed
 * once per batch, and rows contain their numbers.
 */
export type Staging = 'text' | 'word' | 'nanoseconds' | 'number' | 'flag';

export type ColumnValue = string | Nanoseconds | number | boolean | null;

export interface Column<Row> {
  readonly name: string;
  /** Null for columns that DuckDB computes from others. */
  readonly staging: Staging | null;
  /** The stored type. */
  readonly type: string;
  /** The stored value, as SQL over the staged value. */
  readonly stored: string;
  // A separate function for each column, because V8 makes a function that reads any key slow.
  read(row: Row): ColumnValue;
}

export interface Columns<Row> {
  text(name: string, read: (row: Row) => string): Column<Row>;
  /** A text that many rows share. */
  word(name: string, read: (row: Row) => string): Column<Row>;
  /** A time in microseconds, the only type that can be compared with `now()`. */
  time(read: (row: Row) => Nanoseconds): Column<Row>;
  milliseconds(read: (row: Row) => Nanoseconds): Column<Row>;
  whole(name: string, read: (row: Row) => number | null): Column<Row>;
  real(name: string, read: (row: Row) => number | null): Column<Row>;
  flag(name: string, read: (row: Row) => boolean): Column<Row>;
  computed(name: string, type: string, stored: string): Column<Row>;
}

export function columnsOf<Row>(): Columns<Row> {
  return {
    text: (name, read) => ({ name, staging: 'text', type: 'VARCHAR', stored: name, read }),
    word: (name, read) => ({
      name,
      staging: 'word',
      type: 'VARCHAR',
      stored: `words[${name}]`,
      read,
    }),
    time: (read) => ({
      name: 'time',
      staging: 'nanoseconds',
      type: 'TIMESTAMPTZ',
      stored: 'make_timestamptz(time // 1000)',
      read,
    }),
    milliseconds: (read) => ({
      name: 'duration_ms',
      staging: 'nanoseconds',
      type: 'DOUBLE',
      stored: 'duration_ms / 1e6',
      read,
    }),
    // Reporters may send anything; an invalid number counts as unknown.
    whole: (name, read) => ({
      name,
      staging: 'number',
      type: 'BIGINT',
      stored: `TRY_CAST(${name} AS BIGINT)`,
      read,
    }),
    real: (name, read) => ({ name, staging: 'number', type: 'DOUBLE', stored: name, read }),
    flag: (name, read) => ({ name, staging: 'flag', type: 'BOOLEAN', stored: name, read }),
    computed: (name, type, stored) => ({ name, staging: null, type, stored, read: () => null }),
  };
}
