import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import type { Outcome } from '../../kernel/index.ts';
import type { TaskBudget, TaskRow } from './api-schema.ts';
import { cancelTask } from './cancel-task.ts';
import { finishTask, openTask, splitTask } from './commands.ts';
import { ada, RealGate } from './real-gate.fixture.ts';
import { heldBy, taskFree } from './task-budget.ts';
import { taskPrefix } from './task-row.ts';

/** One move of somebody; the numbers pick what it is about. */
interface Move {
  readonly kind: 'open' | 'split' | 'pay' | 'begin' | 'end' | 'finish' | 'cancel';
  readonly which: number;
  readonly much: number;
}

/** A payment that has begun, and how it is ended: with what it cost, or not at all. */
interface Flight {
  readonly task: string;
  readonly reserved: number;
  readonly end: (paid: number | null) => void;
  readonly over: Promise<unknown>;
}

/** What should be so, kept beside the real gate by simple means. */
class Model {
  readonly real: RealGate;
  readonly flights: Flight[] = [];
  readonly #paid = new Map<string, number>();
  readonly #ends = new Map<string, Promise<number | null>>();
  #count = 0;

  constructor(real: RealGate) {
    this.real = real;
    real.pay = async (amount, id) => {
      const paid = await (this.#ends.get(id) ?? amount);
      if (paid === null) throw new Error('it did not work out');
      return paid;
    };
  }

  async rows(): Promise<TaskRow[]> {
    const rows: TaskRow[] = [];
    for await (const { value } of this.real.gate.ledger.rows<TaskRow>(taskPrefix)) rows.push(value);
    return rows;
  }

  /** Refused or not is the gate's business; what follows from it is checked afterwards. */
  async play({ kind, which, much }: Move, rows: readonly TaskRow[]): Promise<void> {
    const { deps } = this.real;
    const task = rows[which % rows.length]?.task;
    const budgets = { money: much };
    if (kind === 'open' || task === undefined) await openTask(ada, { goal: 'g', budgets }, deps);
    else if (kind === 'split') await splitTask(ada, task, { goal: 'c', budgets }, deps);
    else if (kind === 'pay') await this.#pay(task, much, 'now');
    else if (kind === 'begin') this.#begin(task, much);
    else if (kind === 'end') await this.#end(which, much);
    else if (kind === 'finish') await finishTask(ada, task, null, deps);
    else await cancelTask(ada, task, 'no longer', deps);
  }

  async #pay(task: string, amount: number, id: string): Promise<void> {
    const outcome = (await this.real.payFor(ada, task, amount, { id })) as Outcome<{
      paid: number;
    }>;
    if (outcome.status !== 'committed') return;
    this.#paid.set(task, (this.#paid.get(task) ?? 0) + outcome.value.paid);
  }

  #begin(task: string, reserved: number): void {
    const id = `flight-${++this.#count}`;
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.#ends.set(id, promise);
    const over = this.#pay(task, reserved, id).catch(() => undefined);
    this.flights.push({ task, reserved, end: resolve, over });
  }

  async #end(which: number, much: number): Promise<void> {
    const [flight] = this.flights.splice(which % Math.max(1, this.flights.length), 1);
    if (!flight) return;
    flight.end(much % 5 === 0 ? null : Math.min(much, flight.reserved));
    await flight.over;
  }

  async endAll(): Promise<void> {
    while (this.flights.length > 0) await this.#end(0, 7);
  }

  paidBelow(rows: readonly TaskRow[], root: string): number {
    const tree = rows.filter(({ task, path }) => task === root || path[0] === root);
    return tree.reduce((sum, { task }) => sum + (this.#paid.get(task) ?? 0), 0);
  }
}

const moneyOf = ({ budgets }: TaskRow): TaskBudget => budgets.money as TaskBudget;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function checkRows(model: Model, rows: readonly TaskRow[]): void {
  for (const row of rows) {
    const children = rows.filter(({ parent }) => parent === row.task);
    const { carved, limit, spent } = moneyOf(row);
    expect(carved).toBe(sum(children.map((child) => heldBy(child, 'money'))));
    expect(row.children).toBe(children.filter(({ status }) => status === 'open').length);
    if (row.status !== 'open') continue;
    expect(taskFree(moneyOf(row))).toBeGreaterThanOrEqual(0);
    expect(spent).toBeLessThanOrEqual(limit);
  }
  for (const root of rows.filter(({ parent }) => parent === null)) {
    const open = rows.filter(({ status, path }) => status === 'open' && path[0] === root.task);
    // What a closed task cost stands with the nearest open one above, and only there.
    const spent = sum([root, ...open].map((row) => moneyOf(row).spent));
    expect(spent).toBe(model.paidBelow(rows, root.task));
    expect(spent).toBeLessThanOrEqual(moneyOf(root).limit);
  }
}

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom(
    'open',
    'split',
    'split',
    'pay',
    'begin',
    'begin',
    'end',
    'finish',
    'cancel',
  ),
  which: fc.nat({ max: 40 }),
  much: fc.integer({ min: 1, max: 120 }),
});
/** Those of one group are made at the same moment. */
const groups = fc.array(fc.array(move, { minLength: 1, maxLength: 3 }), {
  minLength: 4,
  maxLength: 12,
});

// proves: gate.budgets
test('concurrent operations on the real gate overspend nothing and lose nothing', async () => {
  await fc.assert(
    fc.asyncProperty(groups, async (played) => {
      const model = new Model(await RealGate.open());
      await openTask(ada, { goal: 'g', budgets: { money: 200 } }, model.real.deps);
      for (const moves of played) {
        const before = await model.rows();
        await Promise.allSettled(moves.map((one) => model.play(one, before)));
        checkRows(model, await model.rows());
      }
      await model.endAll();
      const rows = await model.rows();
      checkRows(model, rows);
      expect(rows.every(({ openProposals }) => openProposals === 0)).toBe(true);
      expect(rows.every((row) => moneyOf(row).reserved === 0)).toBe(true);
      expect(await model.real.close()).toEqual({ different: 0, differences: [] });
    }),
    { numRuns: runs(5, 300) },
  );
});
