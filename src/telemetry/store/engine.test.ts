import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { telemetryLimits } from '../limits.ts';
import { logRow } from '../row.fixture.ts';
import { openTestStore, type TestStore } from './store.fixture.ts';

let scene: TestStore;
beforeAll(async () => {
  scene = await openTestStore();
  writeFileSync(beside(), '{}');
  await scene.store.write({ logs: [logRow()] });
});
afterAll(() => scene.remove());

/** Of the process, and not of DuckDB. */
const beside = (): string => join(scene.directory, 'tail.json');

async function run(sql: string): Promise<unknown> {
  const connection = await scene.store.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRows()[0]?.[0];
  } finally {
    connection.closeSync();
  }
}

test.each([
  ['memory_limit', telemetryLimits.telemetryMemoryMb],
  ['max_temp_directory_size', telemetryLimits.telemetrySpillMbMax],
])('DuckDB uses the configured %s', async (setting, megabytes) => {
  const shown = String(await run(`SELECT current_setting('${setting}')`));
  const mebibytes = (megabytes * 1e6) / 1024 ** 2;
  expect(Number.parseFloat(shown)).toBeCloseTo(mebibytes, 0);
});

// Not even who gets past the check of queries gets further than this.
test.each([
  [`SELECT * FROM read_text('/etc/hostname')`, /Permission Error/],
  [`SELECT * FROM read_text('BESIDE')`, /Permission Error/],
  ['SELECT * FROM staged_logs', /does not exist/],
  [`COPY (SELECT 1) TO '/tmp/surety-copied'`, /Permission Error/],
  [`ATTACH '/tmp/surety-attached.db'`, /Permission Error/],
  [`SELECT * FROM '/etc/hostname'`, /does not exist|Permission Error/],
  [`SELECT * FROM read_csv('https://127.0.0.1:1/x.csv')`, /Permission Error|Missing Extension/],
  ['INSTALL httpfs', /Permission Error/],
  [`LOAD '/tmp/surety.duckdb_extension'`, /Permission Error/],
  [`SET memory_limit = '8GB'`, /configuration has been locked/],
  ['SET enable_external_access = true', /Cannot|locked/],
  ['SET lock_configuration = false', /locked/],
])('DuckDB itself refuses %s', async (sql, words) => {
  await expect(run(sql.replace('BESIDE', beside()))).rejects.toThrow(words);
});
