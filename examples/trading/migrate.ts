/** Creates the tables in DATABASE_URL; with `--seed`, fills them as well. Safe to repeat. */
import { readFile } from 'node:fs/promises';
import { urlFrom } from './shared/environment.ts';
import { createLog } from './shared/log.ts';
import { migrate } from './shared/migrations.ts';
import { connectPostgres } from './shared/postgres.ts';

const log = createLog('migrate');
const databaseUrl = urlFrom('DATABASE_URL', 'postgres://postgres@127.0.0.1:5432/trading');
const postgres = connectPostgres(databaseUrl, log);
try {
  log.info('migrated', {
    applied: await migrate(postgres, ['001-orders.sql', '002-payments.sql']),
  });
  if (process.argv.includes('--seed')) await seed();
} finally {
  await postgres.stop();
}

async function seed(): Promise<void> {
  const file = new URL('seeds/realistic.sql', import.meta.url);
  await postgres.query(await readFile(file, 'utf8'));
  log.info('seeded', { file: 'seeds/realistic.sql' });
}
