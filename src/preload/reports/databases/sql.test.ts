import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

const { statementOf } = createRequire(import.meta.url)('./sql.cjs');

test.each([
  [`SELECT a FROM t WHERE n = 'it''s' AND m = 7`, 'SELECT a FROM t WHERE n = ? AND m = ?'],
  [`select * from t where a = E'o\\'clock' and b = 'x'`, 'select * from t where a = ? and b = ?'],
  ['SELECT $$secret$$, $t$it $$ is$t$, $1', 'SELECT ?, …'],
  [`SELECT 1 -- by alice\n, x /* for bob */ FROM "odd ""table"`, 'SELECT ? , x FROM "odd ""table"'],
  [
    `SELECT x'1f', U&'d\\0061', 1.5e-3, -2, 0xff, t2.c3 FROM t2`,
    'SELECT ?, …, -?, …, t2.c3 FROM t2',
  ],
  ['SELECT a FROM t WHERE id IN ($1, $2,$3)', 'SELECT a FROM t WHERE id IN ($1, …)'],
  [`INSERT INTO t VALUES (1, 'a'), (2, 'b')`, 'INSERT INTO t VALUES (?, …), …'],
  [`SELECT 'never closed`, 'SELECT ?'],
])('the report of %s contains no literal', (sql, text) => {
  expect(statementOf(sql).text).toBe(text);
});

test.each([`SELECT 'C:\\', 'secret'`, 'SELECT 1 /* a /* b */ secret */'])(
  'the report of %s, which is ambiguous, names only its operation',
  (sql) => {
    const { summary, text } = statementOf(sql);
    expect([summary, text]).toEqual(['SELECT', undefined]);
  },
);

test.each([
  ['SELECT * FROM orders o JOIN "Lines" l ON true', 'SELECT orders "Lines"'],
  [
    '  insert into shop.orders (a) values ($1) on conflict do update set a = 1',
    'INSERT shop.orders',
  ],
  ['UPDATE ONLY orders SET a = 1', 'UPDATE orders'],
  ['SELECT a FROM jobs FOR UPDATE SKIP LOCKED', 'SELECT jobs'],
  ['DELETE FROM a USING b', 'DELETE a'],
  ['CREATE TABLE IF NOT EXISTS orders (id int)', 'CREATE orders'],
  ['BEGIN', 'BEGIN'],
  ['(SELECT 1) UNION (SELECT 2)', 'SELECT'],
  ['', 'QUERY'],
])('the summary of %s is %s', (sql, summary) => {
  expect(statementOf(sql).summary).toBe(summary);
});

test('a long statement is read up to a limit and reported in part', () => {
  const long = `SELECT ${'a, '.repeat(100_000)} 'secret'`;
  const { text } = statementOf(long);
  expect(text).toHaveLength(1_000);
  expect(statementOf(`SELECT ${' '.repeat(4_080)} 'secret that is cut'`).text).toBe('SELECT ?');
});
