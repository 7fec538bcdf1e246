import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { telemetryLimits } from '../limits.ts';

export interface EngineOptions {
  readonly directories: Directories;
  readonly memoryMb?: number;
}

/** The directories that DuckDB may access. They contain nothing else. */
export interface Directories {
  readonly segments: string;
  readonly spill: string;
}

/**
 * An empty DuckDB. It can access only its own files and no network, loads nothing, and these
 * settings are locked, so that a query cannot change them.
 */
export async function startEngine(options: EngineOptions): Promise<DuckDBInstance> {
  const engine = await DuckDBInstance.create(':memory:', {
    memory_limit: `${options.memoryMb ?? telemetryLimits.telemetryMemoryMb}MB`,
    temp_directory: options.directories.spill,
    max_temp_directory_size: `${telemetryLimits.telemetrySpillMbMax}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_unsigned_extensions: 'false',
    // The order of rows in a batch does not matter, and preserving it costs memory.
    preserve_insertion_order: 'false',
  });
  const connection = await engine.connect();
  await lockAway(connection, options.directories);
  connection.closeSync();
  return engine;
}

/** Staged rows belong to all lanes, so they are in a separate database that queries cannot name. */
export const stagingName = 'staging';

async function lockAway(connection: DuckDBConnection, directories: Directories): Promise<void> {
  const { segments, spill } = directories;
  await connection.run(`ATTACH ':memory:' AS ${stagingName}`);
  await connection.run(`SET GLOBAL TimeZone = 'UTC'`);
  await connection.run(`SET GLOBAL allowed_directories = [${quoted(segments)}, ${quoted(spill)}]`);
  await connection.run('SET GLOBAL enable_external_access = false');
  await connection.run('SET GLOBAL lock_configuration = true');
}

/** A text literal in SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll(`'`, `''`)}'`;
}
