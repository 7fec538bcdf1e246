/** The same server, user and options, another database. */
export function withDatabase(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${encodeURIComponent(database)}`;
  return address.href;
}

/** For PostgreSQL's own programs: as variables, since everybody can see what a program is given. */
export async function programEnvironment(url: string): Promise<Record<string, string>> {
  const { default: pg } = await import('pg');
  const { host, port, user, password, database = '' } = new pg.Client({ connectionString: url });
  const sslMode = new URL(url).searchParams.get('sslmode');
  return {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user ?? '',
    PGDATABASE: database,
    ...(password ? { PGPASSWORD: password } : {}),
    ...(sslMode ? { PGSSLMODE: sslMode } : {}),
  };
}
