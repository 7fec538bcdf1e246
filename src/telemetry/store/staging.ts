import { setImmediate } from 'node:timers/promises';
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  VARCHAR,
} from '@duckdb/node-api';
import type { Column, Staging } from './column.ts';
import { type AnyRow, type TableName, tables } from './tables.ts';

const stagedTypes: Readonly<Record<Staging, DuckDBType>> = {
  text: VARCHAR,
  nanoseconds: BIGINT,
  number: DOUBLE,
  flag: BOOLEAN,
};

/** What one of DuckDB's chunks holds. */
const chunkRows = 2_048;

/**
 * Copies rows into a table in memory, column by column, and lets others go first after each chunk.
 * Only DuckDB's own threads wait for the disk then, when they take them from there.
 */
export async function stage(
  connection: DuckDBConnection,
  table: TableName,
  rows: readonly AnyRow[],
): Promise<void> {
  await connection.run(`CREATE OR REPLACE TABLE ${stagedColumns(table)}`);
  const appender = await connection.createAppender(`staged_${table}`, 'main', 'memory');
  try {
    await appendAll(appender, tables[table], rows);
  } finally {
    appender.closeSync();
  }
}

async function appendAll(
  appender: DuckDBAppender,
  columns: readonly Column<AnyRow>[],
  rows: readonly AnyRow[],
): Promise<void> {
  const types = columns.map((column) => stagedTypes[column.staging]);
  const chunk = DuckDBDataChunk.create(types);
  for (let first = 0; first < rows.length; first += chunkRows) {
    fillChunk(chunk, columns, rows.slice(first, first + chunkRows));
    appender.appendDataChunk(chunk);
    await setImmediate();
  }
}

function fillChunk(
  chunk: DuckDBDataChunk,
  columns: readonly Column<AnyRow>[],
  rows: readonly AnyRow[],
): void {
  chunk.reset();
  chunk.rowCount = rows.length;
  columns.forEach((column, index) => {
    const vector = chunk.getColumnVector(index);
    rows.forEach((row, at) => {
      vector.setItem(at, column.read(row));
    });
    vector.flush();
  });
}

/** What moves the staged rows of a table into a segment. */
export function moveStatement(table: TableName, segment: string): string {
  const stored = tables[table].map((column) => column.stored).join(', ');
  return `INSERT INTO ${segment}.main.${table} SELECT ${stored} FROM memory.main.staged_${table}`;
}

function stagedColumns(table: TableName): string {
  const columns = tables[table].map((column) => `${column.name} ${stagedTypes[column.staging]}`);
  return `memory.main.staged_${table} (${columns.join(', ')})`;
}
