import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../query/ask.ts';
import { alertRow, deploymentRow, hopRow, logRow, metricRow, spanRow } from '../row.fixture.ts';
import { openTestStore, type TestStore } from './store.fixture.ts';

let scene: TestStore;

beforeAll(async () => {
  scene = await openTestStore();
  await scene.store.write({
    spans: [
      spanRow(),
      spanRow({ httpStatus: 503, spanId: '1111111111111111' }),
      spanRow({ kind: 'client', peer: 'ledger', spanId: '2222222222222222', route: '' }),
      spanRow({ kind: 'client', peer: 'ledger', lane: 'lane_1', spanId: '3333333333333333' }),
    ],
    logs: [logRow()],
    metrics: [metricRow()],
    hops: [hopRow()],
    deployments: [deploymentRow()],
    alerts: [alertRow()],
  });
});

afterAll(() => scene.remove());

const rows = async (sql: string) => (await ask(scene.store, { sql })).rows;

test('spans are returned as they were written', async () => {
  expect(await rows(`SELECT * FROM spans WHERE http_status = 200 AND kind = 'server'`)).toEqual([
    [
      '0af7651916cd43dd8448eb211c80319c',
      'b7ad6b7169203331',
      '',
      'pricing',
      'pricing/baseline/1',
      '',
      'GET /quotes/:symbol',
      'server',
      '2026-11-15T06:00:00.000000Z',
      1.5,
      'unset',
      '',
      'GET',
      '/quotes/:symbol',
      200,
      '',
      'req-1',
      '',
      120,
      0,
      64,
      1,
      '{"user_agent.original":"undici"}',
      '[]',
      '9532127138774266268',
    ],
  ]);
});

test('requests are server spans, and say which of them failed', async () => {
  const found = await rows('SELECT status, is_error FROM requests ORDER BY status');
  expect(found).toEqual([
    [200, false],
    [503, true],
  ]);
});

test('hops come from the router and, outside of lanes, also from callers', async () => {
  const found = await rows('SELECT caller, callee, lane, seen_by FROM hops ORDER BY seen_by');
  expect(found).toEqual([
    ['pricing', 'ledger', '', 'caller'],
    ['gateway', 'pricing', 'lane_1', 'router'],
  ]);
});

test.each([
  ['logs', 'SELECT severity, text, source FROM logs', ['info', 'quoted ACME at 12', 'stdout']],
  [
    'metrics',
    'SELECT name, value, count, is_delta FROM metrics',
    ['process.memory.usage', 1e8, null, false],
  ],
  ['deployments', 'SELECT kind, version, previous FROM deployments', ['promotion', 'v2', 'v1']],
  ['alerts', 'SELECT name, state FROM alerts', ['HighErrorRate', 'firing']],
])('%s are returned as they were written', async (_, sql, expected) => {
  expect(await rows(sql)).toEqual([expected]);
});

test('attributes can be queried as JSON', async () => {
  const sql = `SELECT DISTINCT attributes->>'$."user_agent.original"' FROM spans`;
  expect(await rows(sql)).toEqual([['undici']]);
});

test('times can be compared with now()', async () => {
  const sql = `SELECT count(*) FROM spans WHERE time > now() - INTERVAL 1 HOUR AND time < now()`;
  expect(await rows(sql)).toHaveLength(1);
});
