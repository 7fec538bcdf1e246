import { setImmediate } from 'node:timers/promises';
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  VARCHAR,
} from '@duckdb/node-api';
import type { Column, ColumnValue, Staging } from './column.ts';
import { stagingName } from './engine.ts';
import { type AnyRow, type TableName, tables } from './tables.ts';

const stagedTypes: Readonly<Record<Staging, DuckDBType>> = {
  text: VARCHAR,
  word: INTEGER,
  nanoseconds: BIGINT,
  number: DOUBLE,
  flag: BOOLEAN,
};

/** The size of a chunk in DuckDB. */
const chunkRows = 2_048;

/**
 * Copies rows into tables in memory, column by column, and yields to other work after each chunk.
 * Only DuckDB's own threads then wait for the disk.
 */
export async function stage(
  connection: DuckDBConnection,
  table: TableName,
  rows: readonly AnyRow[],
): Promise<void> {
  const words = new Words();
  const columns = tables[table].flatMap((column) => staged(column, words));
  await append(connection, `staged_${table}`, columns, rows);
  await append(connection, `words_${table}`, wordColumns, [...words.all.entries()]);
}

/** The statement that moves the staged rows of a table into a segment. */
export function moveStatement(table: TableName, segment: string): string {
  const stored = tables[table].map((column) => column.stored).join(', ');
  const words = `SELECT list(word ORDER BY number) AS words FROM ${stagingName}.main.words_${table}`;
  return `INSERT INTO ${segment}.main.${table}
    SELECT ${stored} FROM ${stagingName}.main.staged_${table}, (${words})`;
}

interface StagedColumn<Row> {
  readonly name: string;
  readonly type: DuckDBType;
  fill(vector: Vector, rows: readonly Row[]): void;
}

type Vector = ReturnType<DuckDBDataChunk['getColumnVector']>;

const wordColumns: readonly StagedColumn<readonly [number, string]>[] = [
  { name: 'number', type: INTEGER, fill: (vector, rows) => each(vector, rows, ([at]) => at) },
  { name: 'word', type: VARCHAR, fill: (vector, rows) => each(vector, rows, ([, word]) => word) },
];

function staged(column: Column<AnyRow>, words: Words): readonly StagedColumn<AnyRow>[] {
  const { name, staging, read } = column;
  if (staging === null) return [];
  const value = valueReader(staging, read, words);
  const fill: StagedColumn<AnyRow>['fill'] = (vector, rows) => each(vector, rows, value);
  return [{ name, type: stagedTypes[staging], fill }];
}

function valueReader(
  staging: Staging,
  read: (row: AnyRow) => ColumnValue,
  words: Words,
): (row: AnyRow) => ColumnValue {
  if (staging === 'word') return (row) => words.numberOf(read(row) as string);
  if (staging === 'nanoseconds') return (row) => bounded(read(row) as bigint);
  return read;
}

const nanosecondsMax = 2n ** 63n - 1n;

/** Numbers of OTLP are unsigned, and senders may be wrong by any amount. */
function bounded(nanoseconds: bigint): bigint {
  if (nanoseconds > nanosecondsMax) return nanosecondsMax;
  return nanoseconds < -nanosecondsMax ? -nanosecondsMax : nanoseconds;
}

function each<Row>(vector: Vector, rows: readonly Row[], read: (row: Row) => unknown): void {
  for (let at = 0; at < rows.length; at++) vector.setItem(at, read(rows[at] as Row) as never);
}

async function append<Row>(
  connection: DuckDBConnection,
  table: string,
  columns: readonly StagedColumn<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const described = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  await connection.run(`CREATE OR REPLACE TABLE ${stagingName}.main.${table} (${described})`);
  const appender = await connection.createAppender(table, 'main', stagingName);
  try {
    const chunk = DuckDBDataChunk.create(columns.map(({ type }) => type));
    for (let first = 0; first < rows.length; first += chunkRows) {
      fillChunk(chunk, columns, rows.slice(first, first + chunkRows));
      appender.appendDataChunk(chunk);
      await setImmediate();
    }
  } finally {
    appender.closeSync();
  }
}

function fillChunk<Row>(
  chunk: DuckDBDataChunk,
  columns: readonly StagedColumn<Row>[],
  rows: readonly Row[],
): void {
  chunk.reset();
  chunk.rowCount = rows.length;
  columns.forEach((column, index) => {
    const vector = chunk.getColumnVector(index);
    column.fill(vector, rows);
    vector.flush();
  });
}

/** The different words of one batch, numbered from 1 as in lists of DuckDB. */
class Words {
  readonly #numbers = new Map<string, number>();

  numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(word, number);
    return number;
  }

  /** In the order of their numbers. */
  get all(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}
