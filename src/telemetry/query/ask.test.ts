import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFault } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { logRow, spanRow } from '../row.fixture.ts';
import { openTestStore, type TestStore } from '../store/store.fixture.ts';
import type { SqlAnswer } from './answer.ts';
import { ask } from './ask.ts';

let scene: TestStore;

beforeAll(async () => {
  scene = await openTestStore();
  await scene.store.write({ spans: [spanRow(), spanRow({ service: 'ledger' })] });
});

afterAll(() => scene.remove());

const answer = (sql: string): Promise<SqlAnswer> => ask(scene.store, { sql });
const failure = (sql: string): Promise<unknown> => answer(sql).catch((error) => error);

test('an answer contains the query, its columns, and the range searched', async () => {
  const sql = 'SELECT service, count(*) AS n FROM spans GROUP BY service ORDER BY service';
  expect(await answer(sql)).toMatchObject({
    query: sql,
    columns: [
      { name: 'service', type: 'VARCHAR' },
      { name: 'n', type: 'BIGINT' },
    ],
    rows: [
      ['ledger', 1],
      ['pricing', 1],
    ],
    isTruncated: false,
    searched: [
      { view: 'spans', rows: 2, from: '2026-11-15T06:00:00.000Z', to: '2026-11-15T06:00:00.000Z' },
    ],
    empty: null,
  });
});

test('the hops searched include calls that only their caller reported', async () => {
  const calls = await openTestStore();
  await calls.store.write({ spans: [spanRow(), spanRow({ kind: 'client', peer: 'bank:443' })] });
  const { rows, searched } = await ask(calls.store, { sql: 'SELECT callee FROM hops' });
  await calls.remove();
  expect(rows).toEqual([['bank:443']]);
  expect(searched).toMatchObject([{ view: 'hops', rows: 1 }]);
});

test('an answer without rows says why', async () => {
  const none = await answer(`SELECT * FROM spans WHERE service = 'orders'`);
  expect(none.empty).toContain('spans has 2 rows from 2026-11-15T06:00:00.000Z');
  expect((await answer('SELECT * FROM logs')).empty).toContain('There is nothing in logs yet');
});

test('an answer is limited in rows and says that there were more', async () => {
  const most = telemetryLimits.telemetryAnswerRowsMax;
  const exact = await answer(`SELECT * FROM range(${most})`);
  expect([exact.rows.length, exact.isTruncated]).toEqual([most, false]);
  const more = await answer(`SELECT * FROM range(${most + 1})`);
  expect([more.rows.length, more.isTruncated]).toEqual([most, true]);
  const few = await ask(scene.store, { sql: 'SELECT * FROM spans', rowsMax: 1 });
  expect([few.rows.length, few.isTruncated]).toEqual([1, true]);
});

test('an answer is limited in bytes and says that there was more', async () => {
  const fits = 4;
  const text = 'x'.repeat(telemetryLimits.telemetryAnswerBytesMax / fits - '[""]'.length);
  const wide = await openTestStore();
  await wide.store.write({ logs: [logRow({ text })] });
  const read = (rows: number) => ask(wide.store, { sql: `SELECT text FROM logs, range(${rows})` });
  expect((await read(fits)).isTruncated).toBe(false);
  const more = await read(fits + 1);
  expect([more.rows.length, more.isTruncated]).toEqual([fits, true]);
  await wide.remove();
});

test('a query is limited in characters', async () => {
  const sql = 'SELECT 1 -- '.padEnd(telemetryLimits.telemetryQueryCharsMax, 'x');
  expect((await answer(sql)).rows).toEqual([[1]]);
  expect(isFault(await failure(`${sql}x`), 'QUERY_TOO_LONG')).toBe(true);
});

// proves: telemetry.bounded
test('a query that takes too long is stopped', async () => {
  const sql = 'SELECT count(*) FROM range(1000000000) a, range(1000000000) b';
  const ended = await ask(scene.store, { sql, msMax: 50 }).catch((error) => error);
  expect(isFault(ended, 'QUERY_TOO_SLOW')).toBe(true);
});

test.each([
  ['SELECT count(*) FROM Spans', 2],
  ['WITH Found AS (SELECT * FROM SPANS) SELECT count(*) FROM found', 2],
  ['WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT y FROM b', 2],
  [
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 2) SELECT max(n) FROM r',
    2,
  ],
  ['WITH spans AS (SELECT 2 AS two) SELECT two FROM spans', 2],
  ['SELECT count(*) FROM (FROM spans) JOIN (FROM logs) USING (trace_id)', 0],
  [`SELECT list_transform([1], lambda x: x + 1)[1]`, 2],
  [`SELECT ['a', 'b'][1:2].len()`, 2],
  ['SELECT list_transform(list_filter([1, 3], lambda x: x < 2), lambda y: y + 1)[1]', 2],
  [`SELECT list_transform(['{"a":2}'::JSON], lambda x: (x -> '$.a')::INT)[1]`, 2],
  ['SELECT count(*) OVER () FROM spans LIMIT 1', 2],
  ['SELECT max(rank) FROM (SELECT row_number() OVER (ORDER BY time) AS rank FROM spans)', 2],
  [`SELECT count(*) FILTER (WHERE service IN ('pricing', 'ledger')) FROM spans`, 2],
  ['SELECT CASE WHEN count(*) BETWEEN 1 AND 3 THEN 2 END FROM spans', 2],
  [`SELECT (json_extract(attributes, '$') IS NOT NULL)::INT + 1 FROM spans LIMIT 1`, 2],
  [
    'SELECT sum(n)::INT FROM (SELECT count(*) AS n FROM spans GROUP BY ROLLUP (service)) WHERE n = 1',
    2,
  ],
  [`SELECT len(regexp_split_to_array('a b', ' '))`, 2],
  ['SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY x DESC LIMIT 1', 2],
  ['SELECT count(DISTINCT service) FROM requests', 2],
  [`SELECT date_diff('minute', now() - INTERVAL 2 MINUTE, now())`, 2],
  [`SELECT count(*) FROM generate_series(1, 2)`, 2],
  ['SELECT x FROM unnest([2]) u(x)', 2],
  [`SELECT length(replace('xx', 'x', 'x'))`, 2],
])('answers %s', async (sql, value) => {
  expect((await answer(sql)).rows).toEqual([[value]]);
});

test.each([
  ['SELECT servce FROM spans', 'QUERY_INVALID', /servce.*service/s],
  ['SELECT * FROM span', 'QUERY_REFUSED', /span.*Did you mean spans/s],
  [
    'SELECT list_transform([1], lambda x: list_reduce([x], lambda a, b: a + b))',
    'QUERY_REFUSED',
    /list_reduce within the lambda of list_transform.*unnest/s,
  ],
  [
    'SELECT list_filter([1], lambda x: len(LIST_TRANSFORM([x], lambda y: y)) > 0)',
    'QUERY_REFUSED',
    /list_transform within the lambda of list_filter/,
  ],
  [
    'SELECT list_transform([1], lambda x: list_sum(range(1000000000)))',
    'QUERY_REFUSED',
    /range within the lambda of list_transform/,
  ],
  ['SELECT [[y for y in [x]] for x in [1]]', 'QUERY_REFUSED', /within the lambda of/],
  ['SELECT cuont(*) FROM spans', 'QUERY_REFUSED', /cuont.*Did you mean count/s],
  ['SELEC 1', 'QUERY_INVALID', /syntax error/],
  ['SELECT 1; SELECT 2', 'QUERY_NOT_A_SELECT', /one SELECT/],
  ['', 'QUERY_NOT_A_SELECT', /one SELECT/],
] as const)('refuses %s with a helpful fault', async (sql, code, words) => {
  const found = await failure(sql);
  expect(isFault(found, code)).toBe(true);
  expect(`${(found as Error).message} ${(found as { remedy: string }).remedy}`).toMatch(words);
});
