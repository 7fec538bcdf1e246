import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { finishTask, openTask, splitTask } from '../tasks/index.ts';
import { ada, RealGate, refusalOf } from '../tasks/real-gate.fixture.ts';

let real: RealGate;
let root: string;

beforeEach(async () => {
  real = await RealGate.open();
  ({ task: root } = await openTask(ada, { goal: 'ship it', budgets: { money: 100 } }, real.deps));
});

afterEach(async () => {
  expect(await real.close()).toMatchObject({ different: 0, differences: [] });
});

const split = (money: number, key?: string) =>
  splitTask(ada, root, { goal: 'a part', budgets: { money } }, real.deps, { key });

const kindsSince = async (from: number): Promise<string[]> =>
  (await real.gate.ledger.entries(from, 1_000)).map(({ kind }) => kind);

// proves: task.one-step
describe('a call whose effect is entries of the ledger', () => {
  test('is granted, done and settled in one step, whatever others do meanwhile', async () => {
    const { seq } = await real.gate.ledger.head();
    await Promise.all(Array.from({ length: 10 }, () => split(1)));
    const step = ['proposal-granted', 'task-split', 'proposal-committed'];
    expect(await kindsSince(seq + 1)).toEqual(Array.from({ length: 10 }, () => step).flat());
  });

  test('leaves only its outcome if it is refused by the rows', async () => {
    const { seq } = await real.gate.ledger.head();
    expect(await refusalOf(split(101))).toMatchObject({ code: 'TASK_WIDER' });
    expect(await kindsSince(seq + 1)).toEqual(['proposal-granted', 'proposal-failed']);
    expect(await real.find(root)).toMatchObject({ children: 0, openProposals: 0 });
  });

  test('sees what the call before it in the same batch left', async () => {
    const wanted = [60, 60].map((money) => split(money).catch((error) => error.code));
    expect(await Promise.all(wanted)).toEqual([{ task: expect.any(String) }, 'TASK_WIDER']);
    expect(await real.money(root)).toMatchObject({ carved: 60 });
  });

  test('happens once for one key', async () => {
    const [first, again] = [await split(10, 'once'), await split(10, 'once')];
    expect(again).toEqual(first);
    await finishTask(ada, first.task, 'done', real.deps);
    expect(await real.find(root)).toMatchObject({ children: 0 });
  });
});
