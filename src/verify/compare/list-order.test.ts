import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { findReordered } from './list-order.ts';

let made = 0;

/** A trade with an id of its own, and a time that grows with each trade. */
const trade = (symbol: string): Json => {
  made += 1;
  return { id: `trd_${crypto.randomUUID()}`, symbol, at: 1_700_000_000_000 + made };
};
const trades = (...symbols: string[]) => ({ trades: symbols.map(trade) });
const found = (known: () => readonly Json[], candidate: readonly Json[]): string[] =>
  findReordered({ baseline: known(), control: known(), candidate }).map(
    ({ field, what, before, after }) => `${field} ${what}: ${before} → ${after}`,
  );

describe('a list', () => {
  test.each<[string, () => Json, Json]>([
    ['texts', () => ['EUR', 'USD', 'JPY'], ['JPY', 'EUR', 'USD']],
    ['objects with new ids', () => trades('ACME', 'BOLT'), trades('BOLT', 'ACME')],
  ])('with the same %s in another order is drift', (_, known, candidate) => {
    expect(found(() => [known()], [candidate])).toEqual([
      expect.stringContaining('order-changed: one order → the same items in another order'),
    ]);
    expect(found(() => [known()], [known()])).toEqual([]);
  });

  test('whose order varies on the baseline is no drift', () => {
    const sides = { baseline: [['EUR', 'USD']], control: [['USD', 'EUR']] };
    expect(findReordered({ ...sides, candidate: [['USD', 'EUR']] })).toEqual([]);
  });

  test('with other items is no drift of its order', () => {
    expect(found(() => [['EUR', 'USD']], [['USD', 'GBP']])).toEqual([]);
    expect(found(() => [['EUR', 'USD']], [['USD', 'EUR', 'GBP']])).toEqual([]);
  });

  test('that is no longer sorted is drift, although its items are new each time', () => {
    const newest = (symbols: string): Json => trades(...symbols).trades.toReversed();
    const known = () => ['ABCD', 'EFGH'].map(newest);
    expect(found(known, [trades(...'IJKL').trades])).toEqual([
      '[] order-changed: descending by at → not sorted by at',
    ]);
    expect(found(known, ['MNOP', 'QR'].map(newest))).toEqual([]);
  });

  test('of few items is sorted by chance', () => {
    const known = (): Json[] => [trades('A', 'B').trades];
    expect(found(known, [trades('C', 'D').trades.toReversed()])).toEqual([]);
  });
});
