import { readFileSync } from 'node:fs';
import pg from 'pg';

export type Row = Record<string, unknown>;

export interface Database {
  query<Found extends Row>(sql: string, values?: readonly unknown[]): Promise<Found[]>;
}

export interface Postgres extends Database {
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const connectionsMax = 20;
const schema = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');
// Two processes that create the same table at the same time would get in each other's way.
const schemaLock = 7_270_002;

/** Connects, and makes the tables that are not there yet. */
export async function openDatabase(url: string): Promise<Postgres> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    types: { getTypeParser },
  });
  // Without a listener, an idle connection that PostgreSQL closes would end the whole process.
  pool.on('error', () => undefined);
  const postgres: Postgres = {
    query: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
    transaction: (work) => inTransaction(pool, work),
    close: () => pool.end(),
  };
  await postgres.transaction(async (database) => {
    await database.query(`SELECT pg_advisory_xact_lock(${schemaLock})`);
    await database.query(schema);
  });
  return postgres;
}

/** Amounts fit a JavaScript number by far; pg hands 64-bit integers over as text. */
function getTypeParser(id: number, format?: 'text' | 'binary') {
  return id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text');
}

async function inTransaction<Result>(
  pool: pg.Pool,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work({
      query: async (sql, values = []) => (await client.query(sql, [...values])).rows,
    });
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // Destroying the connection rolls back, also when the connection itself is what failed.
    client.release(true);
    throw error;
  }
}
