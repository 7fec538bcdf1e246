import { expect, test } from 'vitest';
import { QuestionStore } from './question-store.fixture.ts';
import { viewColumns } from './view-columns.ts';

test('the documented columns are exactly the columns of every view', async () => {
  const store = await QuestionStore.open({});
  for (const [view, columns] of Object.entries(viewColumns)) {
    const table = await store.asker.query(`SELECT * FROM ${view}`);
    const names = table.columns.map(({ name }) => name);
    expect(names.toSorted(), view).toEqual(Object.keys(columns).toSorted());
  }
  await store.remove();
});
