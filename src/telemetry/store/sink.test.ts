import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../query/ask.ts';
import { logRow, spanRow } from '../row.fixture.ts';
import { createSink } from './sink.ts';
import { openTestStore, type TestStore } from './store.fixture.ts';

let scene: TestStore;
beforeAll(async () => {
  scene = await openTestStore();
});
afterAll(() => scene.remove());

test('rows are taken at once, stored together, and counted', async () => {
  const sink = createSink(scene.store);
  expect(sink.take({ spans: [spanRow()], logs: [logRow(), logRow()] })).toEqual({ refused: 0 });
  expect(sink.status().waiting).toBe(3);
  await sink.flush();
  expect(sink.status()).toMatchObject({ stored: { spans: 1, logs: 2 }, waiting: 0, trouble: null });
  const { rows } = await ask(scene.store, { sql: 'SELECT count(*) FROM logs' });
  expect(rows).toEqual([[2]]);
  await sink.close();
});
