import { inject } from 'vitest';
import { createDatabase } from './postgres-connection.ts';
import type {} from './postgres-global.ts';

/** An empty database on the run's shared server, for this test file alone. */
export function freshDatabase(): Promise<string> {
  const adminUrl = inject('postgresUrl');
  if (adminUrl) return createDatabase(adminUrl);
  throw new Error(
    'No shared PostgreSQL. Add tests/harness/postgres/postgres-global.ts to globalSetup.',
  );
}
