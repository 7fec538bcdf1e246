import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBAppender, DuckDBInstance } from '@duckdb/node-api';
import type { SpanRow } from '../../src/telemetry/rows.ts';

const texts = [
  'traceId',
  'spanId',
  'parentSpanId',
  'service',
  'instance',
  'lane',
  'name',
  'kind',
  'status',
  'statusMessage',
  'method',
  'route',
  'peer',
  'requestId',
  'errorSignature',
  'attributes',
  'events',
] as const satisfies readonly (keyof SpanRow)[];

const numbers = ['httpStatus', 'cpuUs', 'requestBytes', 'responseBytes', 'calls'] as const;

/** What whoever takes DuckDB's own appender would get: one value after the other, and a commit. */
export async function appendBare(rows: readonly SpanRow[]): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-duckdb-'));
  const instance = await DuckDBInstance.create(join(directory, 'spans.duckdb'));
  const connection = await instance.connect();
  const columns = [
    ...texts.map((name) => `"${name}" VARCHAR`),
    ...numbers.map((name) => `"${name}" DOUBLE`),
    'started BIGINT',
    'lasted BIGINT',
  ];
  await connection.run(`CREATE TABLE spans (${columns.join(', ')})`);
  const appender = await connection.createAppender('spans');
  for (const row of rows) appendRow(appender, row);
  appender.closeSync();
  await connection.run('CHECKPOINT');
  const result = await connection.runAndReadAll('SELECT count(*) FROM spans');
  const count = Number(result.getRows()[0]?.[0]);
  if (count !== rows.length) throw new Error(`${count} rows of ${rows.length} were appended`);
  connection.closeSync();
  instance.closeSync();
  rmSync(directory, { recursive: true });
  return count;
}

function appendRow(appender: DuckDBAppender, row: SpanRow): void {
  for (const name of texts) appender.appendVarchar(row[name]);
  for (const name of numbers) {
    const value = row[name];
    if (value === null) appender.appendNull();
    else appender.appendDouble(value);
  }
  appender.appendBigInt(row.startNs);
  appender.appendBigInt(row.durationNs);
  appender.endRow();
}
