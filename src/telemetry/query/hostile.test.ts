import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import { isFault } from '../../kernel/index.ts';
import { logRow, spanRow } from '../row.fixture.ts';
import { openTestStore, type TestStore } from '../store/store.fixture.ts';
import { ask } from './ask.ts';
import { hostileStatements } from './hostile.fixture.ts';

const marker = 'a-secret-that-nobody-may-read';
let scene: TestStore;
let file: string;

beforeAll(async () => {
  scene = await openTestStore();
  await scene.store.write({ spans: [spanRow()], logs: [logRow()] });
  // Inside of the one directory that DuckDB may read: only the check of queries protects it.
  file = join(scene.directory, 'secret.csv');
  writeFileSync(file, `a,b\n${marker},1\n`);
});

afterAll(() => scene.remove());

const outcome = (sql: string): Promise<unknown> =>
  ask(scene.store, { sql: sql.replaceAll('FILE', file), msMax: 2_000 }).catch((error) => error);

// proves: telemetry.sandbox
describe.each(Object.entries(hostileStatements))('%s', (_, statements) => {
  test.each(statements)('%s', async (sql) => {
    const found = await outcome(sql);
    const codes = ['QUERY_REFUSED', 'QUERY_NOT_A_SELECT', 'QUERY_INVALID'] as const;
    expect(codes.some((code) => isFault(found, code))).toBe(true);
    expect(JSON.stringify(found)).not.toContain(marker);
  });
});

test('hostile statements changed and wrote nothing', async () => {
  expect(await outcome('SELECT count(*) FROM spans')).toMatchObject({ rows: [[1]] });
  expect(existsSync('/tmp/surety-copied.csv')).toBe(false);
  expect(existsSync('/tmp/surety-exported')).toBe(false);
});

const fragments = [
  ...['SELECT', 'FROM', 'WHERE', 'WITH', 'AS', 'UNION ALL', 'JOIN', 'ON', 'true', '(', ')', ','],
  ...['*', 'spans', 'logs', 'x', '1', `'FILE'`, '"FILE"', 'content', 'read_text(', 'glob(', ';'],
  ...['LATERAL', 'unnest(', '[', ']', 'lambda x:', 'EXISTS', 'IN', 'GROUP BY', 'ORDER BY', 'LIMIT'],
  ...['COPY', 'TO', 'ATTACH', 'SET', 'PRAGMA', 'CALL', 'main.', 'system.', '--', '/*', '*/', '::'],
  ...['VALUES', 'TABLE', 'DESCRIBE', 'PIVOT', 'RECURSIVE', 'count(*)', 'OVER', 'query(', '.', '$1'],
];
const wholes = Object.values(hostileStatements).flat();

test('no query made of hostile pieces reveals a secret', async () => {
  const piece = fc.oneof(fc.constantFrom(...fragments), fc.constantFrom(...wholes));
  const query = fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(' '));
  const nested = fc
    .constantFrom(...wholes)
    .chain((inner) =>
      fc.constantFrom(
        `SELECT * FROM (${inner})`,
        `WITH x AS (${inner}) SELECT * FROM x`,
        `SELECT (${inner})`,
        `SELECT * FROM spans WHERE EXISTS (${inner})`,
        `(${inner}) UNION ALL (${inner})`,
      ),
    );
  await fc.assert(
    fc.asyncProperty(fc.oneof(query, nested), async (sql) => {
      const found = await outcome(sql);
      expect(JSON.stringify(found)).not.toContain(marker);
      expect(found instanceof Error ? isFault(found) && found.code : 'answer').not.toBe('INTERNAL');
    }),
    { numRuns: runs(100, 5_000) },
  );
});
