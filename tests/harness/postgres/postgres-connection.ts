import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';
import { postgresLimits } from './postgres-limits.ts';

export function databaseUrl(port: number, database = 'postgres'): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

/** Creates an empty database beside the one that `adminUrl` names, and returns its url. */
export async function createDatabase(adminUrl: string, name = uniqueName()): Promise<string> {
  // From template0, which nobody can be connected to: a connection to the template blocks the copy.
  const statement = `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE template0`;
  await withClient(adminUrl, (client) => client.query(statement));
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

export interface Awaited {
  readonly url: string;
  readonly data: string;
  isRunning(): boolean;
}

/** Connects until the server answers, ends or has had its time; says in a word which it was. */
export async function untilReady(server: Awaited): Promise<'ready' | 'ended' | 'late'> {
  const deadline = performance.now() + postgresLimits.startMsMax;
  while (server.isRunning()) {
    if (await answers(server)) return 'ready';
    if (performance.now() > deadline) return 'late';
    await delay(postgresLimits.pollMs);
  }
  return 'ended';
}

/** Asks for the data directory: on a port that was taken, somebody else's server may answer. */
async function answers({ url, data }: Awaited): Promise<boolean> {
  try {
    const show = (client: Client) => client.query('SHOW data_directory');
    const result = await withClient(url, show, postgresLimits.tryMsMax);
    return result.rows[0]?.data_directory === data;
  } catch {
    return false;
  }
}

async function withClient<Result>(
  url: string,
  use: (client: Client) => Promise<Result>,
  connectMsMax = 0,
): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectMsMax });
  // A server that goes away says so to the client itself; the pending query rejects as well.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

function uniqueName(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}
