import { describe, expect, test } from 'vitest';
import { MemoryRows } from '../../ledger/index.ts';
import { accountKey, budgetOf, chargesFor, rateLimit, shortfall } from './charges.ts';

const at = 1_700_000_000_000;
const ada = accountKey('agent:ada');
const workspace = accountKey('workspace');
const costs = new Map([
  ['calls', 1],
  ['money', 30],
]);

function rows(spent: number, parts: [number, number][] = []): MemoryRows {
  const made = new MemoryRows();
  made.set(ada, { money: { spent, reserved: 0 }, 'calls/60000': { spent: 0, reserved: 1, parts } });
  return made;
}

const limits = [
  { account: workspace, budget: 'money', limit: 1_000 },
  { account: ada, budget: 'money', limit: 100 },
  { account: ada, budget: 'tokens', limit: 0 },
  rateLimit(ada, { max: 3, perMs: 60_000 }),
  rateLimit(ada, { max: 100, perMs: 3_600_000 }),
];

describe('charges', () => {
  test('cover each limited resource that the call costs something of', () => {
    expect(chargesFor(limits, costs)).toEqual([
      { account: workspace, budget: 'money', amount: 30 },
      { account: ada, budget: 'money', amount: 30 },
      { account: ada, budget: 'calls/60000', amount: 1 },
      { account: ada, budget: 'calls/3600000', amount: 1 },
    ]);
  });

  test('include zero amounts when the real cost is known only afterwards', () => {
    const unknown = new Map([['tokens', 0]]);
    const tokens = { account: ada, budget: 'tokens' };
    expect(chargesFor(limits, unknown)).toEqual([{ ...tokens, amount: 0 }]);
    const some = [{ ...tokens, limit: 10 }];
    const spent = new MemoryRows();
    spent.set(ada, { tokens: { spent: 10, reserved: 0 } });
    const charge = chargesFor(some, unknown);
    expect(shortfall(new MemoryRows(), some, charge, at)).toBeNull();
    expect(shortfall(spent, some, charge, at)).toMatchObject({ free: 0, wanted: 0 });
  });

  test('contain a key once when a rate and a budget count the same', () => {
    const both = [
      { account: ada, budget: 'calls/60000', limit: 10 },
      rateLimit(ada, { max: 3, perMs: 60_000 }),
    ];
    expect(chargesFor(both, costs)).toEqual([{ account: ada, budget: 'calls/60000', amount: 1 }]);
    const two: [number, number][] = [[Math.floor(at / 3_000), 2]];
    expect(shortfall(rows(0, two), both, chargesFor(both, costs), at)).toMatchObject({ limit: 3 });
  });
});

describe('a shortfall', () => {
  const charges = chargesFor(limits, costs);

  test('is absent while every budget covers its charge to the last unit', () => {
    expect(shortfall(rows(70), limits, charges, at)).toBeNull();
    expect(shortfall(new MemoryRows(), limits, charges, at)).toBeNull();
  });

  test('names the first budget that is too small', () => {
    expect(shortfall(rows(71), limits, charges, at)).toEqual({
      account: ada,
      budget: 'money',
      limit: 100,
      free: 29,
      wanted: 30,
      returnsAt: null,
    });
  });

  test('of a rate says when the rate allows the call again', () => {
    const part = Math.floor(at / 3_000);
    const short = shortfall(rows(0, [[part, 2]]), limits, charges, at);
    expect(short).toMatchObject({ budget: 'calls/60000', limit: 3, free: 0, wanted: 1 });
    expect(short?.returnsAt).toBe((part + 21) * 3_000);
  });
});

test('a budget named like a member of Object.prototype starts empty', () => {
  expect(budgetOf(rows(0), ada, 'constructor')).toEqual({ spent: 0, reserved: 0 });
  expect(budgetOf(rows(0), ada, '__proto__')).toEqual({ spent: 0, reserved: 0 });
});
