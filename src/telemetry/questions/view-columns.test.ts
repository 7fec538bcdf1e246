import { expect, test } from 'vitest';
import { AskedStore } from './asked.fixture.ts';
import { viewColumns } from './view-columns.ts';

test('the documented columns are exactly the columns of every view', async () => {
  const store = await AskedStore.open({});
  for (const [view, columns] of Object.entries(viewColumns)) {
    const table = await store.asker.query(`SELECT * FROM ${view}`);
    const names = table.columns.map(({ name }) => name);
    expect(names.toSorted(), view).toEqual(Object.keys(columns).toSorted());
  }
  await store.remove();
});
