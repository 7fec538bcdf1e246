import type { Benchmark } from '../bench.ts';
import { measurePostgresAppends } from './append-postgres.ts';
import { measureSqliteAppends } from './append-sqlite.ts';
import { measureStatus } from './status.ts';
import { measureVerify } from './verify.ts';

export const benchmark: Benchmark = {
  title: 'durable appends, verification, and the duration of surety status',
  parts: {
    sqlite: measureSqliteAppends,
    postgres: measurePostgresAppends,
    verify: measureVerify,
    status: measureStatus,
  },
};
