import pg from 'pg';
import { ledgerLimits } from '../limits.ts';
import { postgresFault } from './postgres-fault.ts';

/** Several readers beside the one writer; more would only wait for the same head row. */
const connectionsMax = 4;
const connectMsMax = 3_000;
const bigint = 20;

/** Sequence numbers and times are whole numbers below 2^53; the driver gives bigint as text. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === bigint ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

export function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'surety',
    connectionTimeoutMillis: connectMsMax,
    query_timeout: ledgerLimits.storeAnswerMsMax,
    keepAlive: true,
    types,
    // Acknowledged means on disk, whatever the server's default is.
    options: '-c synchronous_commit=on',
  };
}

export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ ...clientConfig(url), max: connectionsMax });
  // An idle connection that breaks is replaced at the next query; it must not end the process.
  pool.on('error', () => undefined);
  return pool;
}

export type Query = <Result extends object>(sql: string, values?: unknown[]) => Promise<Result[]>;

export function queryWith(source: pg.Pool | pg.ClientBase): Query {
  return async <Result extends object>(sql: string, values: unknown[] = []) => {
    try {
      const { rows } = await source.query(sql, values);
      return rows as Result[];
    } catch (error) {
      throw postgresFault(error);
    }
  };
}
