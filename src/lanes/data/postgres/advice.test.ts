import { expect, test } from 'vitest';
import { adviceFor } from './advice.ts';

const mismatch = `pg_dump failed (1): pg_dump: error: aborting because of server version mismatch
pg_dump: detail: server version: 17.2; pg_dump version: 15.9`;

test.each<[string, Error & { code?: string }, string]>([
  [
    'a role without the CREATEDB right',
    Object.assign(new Error('x'), { code: '42501' }),
    'CREATEDB',
  ],
  ['an unreachable server', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'Start'],
  ['an older pg_dump', new Error(mismatch), "the server's version of pg_dump"],
  [
    'an older pg_restore',
    new Error(
      'pg_restore failed (1): pg_restore: error: unsupported version (1.16) in file header',
    ),
    'pg_restore',
  ],
  ['any other error', new Error('x'), 'Look into the reason'],
])('gives a remedy for %s', (_, error, advice) => {
  expect(adviceFor(error)).toContain(advice);
});
