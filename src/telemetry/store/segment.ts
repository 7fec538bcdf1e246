import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { telemetryLimits } from '../limits.ts';
import { quoted } from './engine.ts';
import { type TableName, tableNames, tables } from './tables.ts';

/** The version of a segment's schema; a segment of another version is not opened. */
export const segmentVersion = 1;

/**
 * One file with everything that arrived during some time. Old or excess data is dropped in whole
 * files, which frees the space at once.
 */
export interface Segment {
  readonly number: number;
  readonly name: string;
  readonly file: string;
}

export function segmentAt(directory: string, number: number): Segment {
  const digits = String(number).padStart(6, '0');
  return {
    number,
    name: `segment_${digits}`,
    file: join(directory, `segment-${digits}.duckdb`),
  };
}

/** The oldest first. */
export function segmentsIn(directory: string): readonly Segment[] {
  return readdirSync(directory)
    .map((name) => /^segment-(\d{6,12})\.duckdb$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map((digits) => segmentAt(directory, Number(digits)))
    .sort((one, other) => one.number - other.number);
}

export async function createSegment(
  connection: DuckDBConnection,
  segment: Segment,
  openedMs: number,
): Promise<void> {
  await attachSegment(connection, segment);
  const about = `SELECT ${segmentVersion} AS version, ${openedMs}::BIGINT AS opened_ms`;
  // In one transaction: a segment has all of its tables or does not exist.
  const statements = [
    `CREATE TABLE ${segment.name}.main.about AS ${about}`,
    `CREATE TABLE ${segment.name}.main.receipts (run VARCHAR, settled BIGINT)`,
    ...tableNames.map((table) => createTable(segment, table)),
  ];
  await connection.run(`BEGIN; ${statements.join('; ')}; COMMIT`);
}

function createTable(segment: Segment, table: TableName): string {
  const columns = tables[table].map(({ name, type }) => `${name} ${type}`);
  return `CREATE TABLE ${segment.name}.main.${table} (${columns.join(', ')})`;
}

export async function attachSegment(connection: DuckDBConnection, segment: Segment): Promise<void> {
  await connection.run(
    `ATTACH ${quoted(segment.file)} AS ${segment.name} (ROW_GROUP_SIZE ${telemetryLimits.telemetryRowGroupRows})`,
  );
}

export async function detachSegment(connection: DuckDBConnection, segment: Segment): Promise<void> {
  await connection.run(`DETACH DATABASE IF EXISTS ${segment.name}`);
}

export interface About {
  readonly version: number;
  /** When its first row arrived; its last row arrived before the next segment was opened. */
  readonly openedMs: number;
}

export async function readAbout(connection: DuckDBConnection, segment: Segment): Promise<About> {
  const found = await connection.runAndReadAll(
    `SELECT version, opened_ms FROM ${segment.name}.main.about`,
  );
  const [version, openedMs] = found.getRows()[0] ?? [];
  return { version: Number(version ?? 0), openedMs: Number(openedMs ?? 0) };
}

export function segmentBytes(segment: Segment): number {
  return filesOf(segment).reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

export function filesOf(segment: Segment): readonly string[] {
  return [segment.file, `${segment.file}.wal`];
}

export function removeSegmentFiles(segment: Segment): void {
  for (const file of filesOf(segment)) rmSync(file, { force: true });
}
