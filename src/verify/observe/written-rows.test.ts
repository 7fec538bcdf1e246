import { expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import type { StoreRows } from '../../lanes/index.ts';
import { writesBetween } from './written-rows.ts';

const stores = (rows: Json[], key = ['id'], table = 'orders'): StoreRows[] => [
  { store: 'db', tables: [{ table, key, rows }] },
];
const written = (before: StoreRows[], after: StoreRows[]) =>
  writesBetween(before, after, () => 'payments').map(({ kind, row }) => [kind, row]);

test('finds inserted, updated and deleted rows by their key', () => {
  const [one, two] = [
    { id: 1, n: 1 },
    { id: 2, n: 1 },
  ];
  const found = writesBetween(
    stores([one, two]),
    stores([{ n: 2, id: 1 }, { id: 3 }]),
    () => 'pay',
  );
  expect(found).toEqual([
    { service: 'pay', store: 'db', table: 'orders', kind: 'update', row: { id: 1, n: 2 } },
    { service: 'pay', store: 'db', table: 'orders', kind: 'insert', row: { id: 3 } },
    { service: 'pay', store: 'db', table: 'orders', kind: 'delete', row: two },
  ]);
});

test('compares rows without a key by their values, and counts equal ones', () => {
  expect(written(stores(['a'], []), stores(['a', 'a', 'b'], []))).toEqual([
    ['insert', 'a'],
    ['insert', 'b'],
  ]);
});

test('ignores a table that could not be read before', () => {
  expect(written(stores([], ['id'], 'other'), stores([{ id: 1 }]))).toEqual([]);
});
