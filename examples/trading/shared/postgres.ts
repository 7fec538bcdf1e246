import pg from 'pg';
import { HttpError } from './http-error.ts';
import type { Log } from './log.ts';

export type Row = Record<string, unknown>;

/** What a store needs of a database, inside or outside a transaction. */
export interface Database {
  query<T extends Row>(sql: string, values?: unknown[]): Promise<T[]>;
}

export interface Postgres extends Database {
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 5_000;

// Cents fit a JavaScript number by far; pg hands 64-bit integers over as text unless told
// otherwise.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function connectPostgres(url: string, log: Log): Postgres {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // Without a listener, an idle connection that Postgres closes would end the whole process.
  pool.on('error', (error) => log.warn('idle database connection lost', { reason: error.message }));
  return {
    query: (sql, values) => run(pool, sql, values),
    transaction: (work) => inTransaction(pool, work),
    stop: () => pool.end(),
  };
}

async function inTransaction<T>(
  pool: pg.Pool,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch(rethrow);
  try {
    await run(client, 'BEGIN');
    const result = await work({ query: (sql, values) => run(client, sql, values) });
    await run(client, 'COMMIT');
    client.release();
    return result;
  } catch (error) {
    // Destroying the connection rolls back, also when the connection itself is what failed.
    client.release(true);
    throw error;
  }
}

async function run<T extends Row>(
  client: pg.Pool | pg.PoolClient,
  sql: string,
  values: unknown[] = [],
): Promise<T[]> {
  try {
    return (await client.query<T>(sql, values)).rows;
  } catch (error) {
    return rethrow(error);
  }
}

/** Errors of the connection are a dependency's failure; errors of a statement are our own. */
function rethrow(error: unknown): never {
  const { code, message } = error as { code?: string; message: string };
  const ofStatement = code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57)/.test(code);
  if (ofStatement) throw error;
  throw new HttpError(502, 'database_unavailable', `The database did not answer: ${message}.`);
}
