import type { Nanoseconds } from '../rows.ts';

/**
 * How a value travels to DuckDB. Each text costs a call into it, so words that many rows share
 * travel once for each batch, and rows carry their numbers.
 */
export type Staging = 'text' | 'word' | 'nanoseconds' | 'number' | 'flag';

export type ColumnValue = string | Nanoseconds | number | boolean | null;

export interface Column<Row> {
  readonly name: string;
  /** Null for what DuckDB computes from other columns. */
  readonly staging: Staging | null;
  /** The type that it is stored as. */
  readonly type: string;
  /** What is stored, as SQL over the staged value. */
  readonly stored: string;
  // A function of its own for each column: V8 makes one that reads any key by its name slow.
  read(row: Row): ColumnValue;
}

export interface Columns<Row> {
  text(name: string, read: (row: Row) => string): Column<Row>;
  /** A text that many rows share. */
  word(name: string, read: (row: Row) => string): Column<Row>;
  /** A moment, to the microsecond: only such a type compares with `now()`. */
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
    // A reporter may say anything; what is no such number is not known.
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
