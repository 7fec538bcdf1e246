import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { telemetryLimits } from '../limits.ts';

export interface EngineOptions {
  readonly directories: Directories;
  readonly memoryMb?: number;
}

/** What DuckDB may reach. Nothing else is in them. */
export interface Directories {
  readonly segments: string;
  readonly spill: string;
}

/**
 * DuckDB with nothing in it yet. It reaches no file but its own and no network, loads
 * nothing, and nobody can change that any more: what a query should not do, it can't.
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
    // Which rows of a batch come first does not matter, and keeping it costs memory.
    preserve_insertion_order: 'false',
  });
  const connection = await engine.connect();
  await lockAway(connection, options.directories);
  connection.closeSync();
  return engine;
}

/** What is about to be stored is of all lanes: no query finds it without naming where it is. */
export const stagingName = 'staging';

async function lockAway(connection: DuckDBConnection, directories: Directories): Promise<void> {
  const { segments, spill } = directories;
  await connection.run(`ATTACH ':memory:' AS ${stagingName}`);
  await connection.run(`SET GLOBAL TimeZone = 'UTC'`);
  await connection.run(`SET GLOBAL allowed_directories = [${quoted(segments)}, ${quoted(spill)}]`);
  await connection.run('SET GLOBAL enable_external_access = false');
  await connection.run('SET GLOBAL lock_configuration = true');
}

/** A text of SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll(`'`, `''`)}'`;
}
