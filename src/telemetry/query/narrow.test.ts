import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFault } from '../../kernel/index.ts';
import { hopRow, logRow, metricRow, spanRow } from '../row.fixture.ts';
import { openTestStore, type TestStore } from '../store/store.fixture.ts';
import { viewNames } from '../store/views.ts';
import { ask } from './ask.ts';

const lanes = ['', 'lane_mine', "lane_o'theirs"];

let scene: TestStore;
beforeAll(async () => {
  scene = await openTestStore();
  await scene.store.write({
    spans: lanes.map((lane) => spanRow({ lane })),
    logs: lanes.map((lane) => logRow({ lane, text: `said in ${lane}` })),
    metrics: lanes.map((lane) => metricRow({ lane })),
    hops: lanes.map((lane) => hopRow({ lane })),
  });
});
afterAll(() => scene.remove());

const seen = async (sql: string, mine?: readonly string[]): Promise<unknown[]> => {
  const question = mine === undefined ? { sql } : { sql, lanes: mine };
  return (await ask(scene.store, question)).rows.map(([lane]) => lane);
};

const withLanes = viewNames.filter((view) => view !== 'deployments' && view !== 'alerts');

// proves: telemetry.lanes
test.each(withLanes)('an agent sees in %s only the baseline and its own lanes', async (view) => {
  const sql = `SELECT lane FROM ${view} ORDER BY lane`;
  expect(await seen(sql)).toEqual(lanes);
  expect(await seen(sql, ['lane_mine'])).toEqual(['', 'lane_mine']);
  expect(await seen(sql, [])).toEqual(['']);
  expect(await seen(sql, ["lane_o'theirs"])).toEqual(['', "lane_o'theirs"]);
  const { searched } = await ask(scene.store, { sql, lanes: [] });
  expect(searched).toMatchObject([{ view, rows: 1 }]);
});

// proves: roles.reads
test('an agent sees captures of its own probes only, and none without the right', async () => {
  const own = await openTestStore();
  const labels = JSON.stringify({ owner: 'agent:mine', probe: 'probe_1' });
  const values = { owner: 'agent:mine', note: '{"owner":"agent:mine",' };
  await own.store.write({
    logs: [
      logRow({ text: 'said' }),
      logRow({ text: 'mine', source: 'probe', attributes: labels }),
      logRow({
        text: 'theirs',
        source: 'probe',
        attributes: JSON.stringify({ owner: 'agent:theirs', values }),
      }),
    ],
    metrics: [metricRow({ name: 'cpu' }), metricRow({ name: 'probe.hits', labels })],
  });
  const texts = async (column: string, view: string, capturesOf?: string) => {
    const sql = `SELECT ${column} FROM ${view} ORDER BY 1`;
    const question = capturesOf === undefined ? { sql } : { sql, capturesOf };
    return (await ask(own.store, question)).rows.map(([text]) => text);
  };
  expect(await texts('text', 'logs')).toEqual(['mine', 'said', 'theirs']);
  expect(await texts('text', 'logs', 'agent:mine')).toEqual(['mine', 'said']);
  expect(await texts('text', 'logs', '')).toEqual(['said']);
  expect(await texts('name', 'metrics', 'agent:mine')).toEqual(['cpu', 'probe.hits']);
  expect(await texts('name', 'metrics', 'agent:other')).toEqual(['cpu']);
  await own.remove();
});

// proves: roles.reads
test('an agent sees only rows of the services, and only the views, that it may read', async () => {
  const count = async (view: string, services: readonly string[]): Promise<unknown> => {
    const sql = `SELECT count(*) FROM ${view}`;
    return (await ask(scene.store, { sql, services })).rows[0]?.[0];
  };
  const { service } = spanRow();
  const { caller, callee } = hopRow();
  for (const view of ['spans', 'logs', 'metrics', 'requests']) {
    expect([view, await count(view, [service])]).toEqual([view, lanes.length]);
    expect([view, await count(view, ["o'ther"])]).toEqual([view, 0]);
    expect([view, await count(view, [])]).toEqual([view, 0]);
  }
  for (const name of [caller, callee]) expect(await count('hops', [name])).not.toBe(0);
  expect(await count('hops', ["o'ther"])).toBe(0);
  const sql = 'WITH a AS (SELECT text FROM logs) SELECT count(*) FROM a, spans';
  const refused = await ask(scene.store, { sql, views: ['spans'] }).catch((error) => error);
  expect(isFault(refused, 'READ_DENIED')).toBe(true);
  expect((await ask(scene.store, { sql, views: ['spans', 'logs'] })).rows).toHaveLength(1);
});

test.each([
  'SELECT lane FROM main.spans',
  'SELECT lane FROM memory.main.spans',
  'SELECT lane FROM memory.spans',
  'SELECT lane FROM "memory"."main"."spans"',
  'SELECT sql FROM duckdb_views()',
])('an agent cannot see other lanes by %s', async (sql) => {
  const refused = await seen(sql, []).catch((error) => error);
  expect(isFault(refused, 'QUERY_REFUSED')).toBe(true);
});

test('an agent sees no more by giving a view another name', async () => {
  const sql = `WITH spans AS (SELECT lane FROM spans UNION ALL SELECT lane FROM logs)
    SELECT lane FROM spans`;
  expect(await seen(sql, [])).toEqual(['', '']);
});

// DuckDB takes these for functions that can't fail, and may ask them before it looks at the lane.
// proves: telemetry.lanes
test.each([
  'date_trunc(text, now()) > now()',
  'date_diff(text, now(), now()) = 1',
  `strftime(now(), '%' || text) = ''`,
  `regexp_replace('', '(' || text, '') = ''`,
  `len(string_split_regex('', '(' || text)) = 1`,
])('an error reveals nothing of another lane: %s', async (condition) => {
  const theirs = `CASE WHEN text LIKE '%theirs%' THEN ${condition} ELSE false END`;
  const sql = `SELECT lane FROM logs WHERE NOT ${theirs} ORDER BY lane`;
  expect(await seen(sql, ['lane_mine'])).toEqual(['', 'lane_mine']);
});
