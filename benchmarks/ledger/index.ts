import type { Benchmark } from '../bench.ts';
import { measurePostgresAppends } from './append-postgres.ts';
import { measureSqliteAppends } from './append-sqlite.ts';
import { measureStatus } from './status.ts';
import { measureVerify } from './verify.ts';

export const benchmark: Benchmark = {
  title: 'durable appends, verification, and the duration of surety status',
  async run(say) {
    const parts = [
      await measureSqliteAppends(say),
      await measurePostgresAppends(say),
      await measureVerify(say),
      await measureStatus(say),
    ];
    return {
      bars: parts.flatMap(({ bars }) => bars),
      rows: parts.flatMap(({ rows }) => rows),
    };
  },
};
