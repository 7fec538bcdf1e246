const connectMsMax = 3_000;

export type PostgresQuery = <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>;

/**
 * Work on one connection to a database, closed afterwards. Locks that it took end with it, also
 * when this process is killed.
 */
export async function withSession<Result>(
  url: string,
  work: (query: PostgresQuery) => Promise<Result>,
): Promise<Result> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'surety',
    connectionTimeoutMillis: connectMsMax,
  });
  // One that breaks while nothing is asked must not end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(async (sql, values = []) => (await client.query(sql, values)).rows);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** As a name in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
