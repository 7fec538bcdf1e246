import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import type { Lease } from '../../kernel/index.ts';
import {
  accountKey,
  budgetOf,
  type Charge,
  chargesFor,
  rateLimit,
  shortfall,
} from '../accounts/index.ts';
import { isCurrent, type SlotRow, slotKey, takeSlot } from '../slots/index.ts';
import type { TaskRow } from './api-schema.ts';
import { planCancellation } from './cancel.ts';
import { carveChild } from './carve.ts';
import { taskFree } from './task-budget.ts';
import { inTask, World } from './world.fixture.ts';

/** One move of somebody; the numbers pick what it is about. */
interface Move {
  readonly kind: 'open' | 'split' | 'grant' | 'settle' | 'unknown' | 'close' | 'cancel' | 'wait';
  readonly who: number;
  readonly what: number;
  readonly much: number;
}

interface OpenProposal {
  readonly proposal: string;
  readonly task: string;
  readonly charges: readonly Charge[];
  readonly leases: readonly Lease[];
}

const dimensions = ['money', 'calls'] as const;
const agents = ['ada', 'bob', 'eve'].map((name) => accountKey(`agent:${name}`));
/** One of them is held short, so that its limits are met all the time. */
const accountLimits = agents.flatMap((account, index) => [
  { account, budget: 'money', limit: index === 0 ? 60 : 600 },
  rateLimit(account, { max: index === 0 ? 2 : 20, perMs: 1_000 }),
  rateLimit(account, { max: index === 0 ? 4 : 40, perMs: 10_000 }),
]);
const pool = { resource: 'pool', max: 2 };
const lock = { resource: 'lock', max: 1 };

/** What should be so, kept beside the rows by simple means. */
class Model {
  readonly world = new World();
  readonly open: OpenProposal[] = [];
  /** What was settled, by task or account and budget, and how much of it went upward. */
  readonly spent = new Map<string, number>();
  readonly over = new Map<string, number>();
  readonly settlements: { name: string; at: number; actual: number }[] = [];
  readonly fences: Record<string, number[]> = { pool: [], lock: [] };
  #count = 0;

  name(prefix: string): string {
    return `${prefix}${++this.#count}`;
  }

  pick(pick: number): TaskRow | undefined {
    const tasks = this.world.tasks();
    return tasks[pick % tasks.length];
  }

  play({ kind, who, what, much }: Move): void {
    const { world } = this;
    if (kind === 'open') world.open(this.name('t'), { money: 5 * much, calls: what % 60 });
    else if (kind === 'wait') world.now += much * 20;
    else if (kind === 'split') this.split(what, much);
    else if (kind === 'grant') this.grant(who, what, much);
    else if (kind === 'close') this.close(what);
    else if (kind === 'cancel') this.cancel(what);
    else this.outcome(kind, what, much);
  }

  split(what: number, much: number): void {
    const parent = this.pick(what);
    if (parent?.status !== 'open') return;
    const wish = { goal: '', budgets: { money: much, calls: much % 20 } };
    const isWider = dimensions.some((name) => {
      return wish.budgets[name] > Math.max(0, freeIn(parent, name));
    });
    const carve = () => carveChild(parent, 'agent:ada', wish, this.world.now);
    if (isWider) expect(carve).toThrow(expect.objectContaining({ code: 'TASK_WIDER' }));
    else this.world.split(parent.task, this.name('t'), carve().budgets);
  }

  grant(who: number, what: number, much: number): void {
    const { world } = this;
    const task = this.pick(what);
    const account = agents[who % agents.length] as string;
    if (task?.status !== 'open') return;
    const costs = new Map([['money', much % 40]] as [string, number][]).set('calls', 1);
    const limits = accountLimits.filter((limit) => limit.account === account);
    const own = dimensions.map((name) => inTask(task.task, name, costs.get(name) ?? 0));
    const charges = [...chargesFor(limits, costs), ...own];
    if (shortfall(world.rows, limits, charges, world.now)) return;
    if (own.some(({ budget, amount }) => amount > freeIn(task, budget))) return;
    const leases = this.take(much);
    if (!leases) return;
    const proposal = this.name('p');
    world.grant(proposal, task.task, charges, { leases: leases as never });
    this.open.push({ proposal, task: task.task, charges, leases });
    for (const { resource, fence } of leases) this.fences[resource]?.push(fence);
  }

  take(much: number): Lease[] | null {
    const wanted = [[], [pool], [lock], [pool, lock]][much % 4] ?? [];
    const leases: Lease[] = [];
    for (const { resource, max } of wanted) {
      const row = this.world.rows.get<SlotRow>(slotKey(resource));
      const request = { resource, max, owner: 'x', ttlMs: 1 + much * 10, reap: 'none' };
      const taken = takeSlot(row, request, this.world.now);
      if ('takenUntil' in taken) return null;
      leases.push(taken.lease);
    }
    return leases;
  }

  outcome(kind: 'settle' | 'unknown', what: number, much: number): void {
    const proposal = this.open[what % this.open.length];
    if (!proposal) return;
    if (kind === 'unknown') {
      const { path: taskPath } = this.world.task(proposal.task);
      const facts = { proposal: proposal.proposal, about: proposal.task, taskPath };
      this.world.apply('proposal-unknown', { ...facts, recovers: true });
      return;
    }
    this.open.splice(this.open.indexOf(proposal), 1);
    this.settle(proposal, ({ budget, amount }) => {
      return budget === 'money' ? Math.floor((amount * (much % 20)) / 10) : amount;
    });
  }

  settle({ proposal, task, charges, leases }: OpenProposal, cost: (charge: Charge) => number) {
    const released = leases.map(({ resource, fence }) => ({ resource, fence }));
    this.world.settle(proposal, task, charges, cost, { released });
    for (const charge of charges) {
      const name = nameOf(charge);
      const actual = cost(charge);
      this.settlements.push({ name, at: this.world.now, actual });
      this.spent.set(name, (this.spent.get(name) ?? 0) + actual);
      const over = Math.max(0, actual - charge.amount);
      this.over.set(name, (this.over.get(name) ?? 0) + over);
    }
  }

  close(what: number): void {
    const row = this.pick(what);
    if (row?.status !== 'open' || row.children > 0 || row.openProposals > 0) return;
    this.world.end('task-closed', row.task);
  }

  cancel(what: number): void {
    const row = this.pick(what);
    if (row?.status !== 'open') return;
    const tree = this.world.tasks().filter(({ task, path, status }) => {
      return status === 'open' && (task === row.task || path.includes(row.task));
    });
    tree.sort((a, b) => a.path.length - b.path.length);
    if (tree.length > 1) {
      const seen = planCancellation(this.world.rows, tree.slice(0, -1), 'agent:ada', '');
      expect(seen).toBeNull();
    }
    const drafts = planCancellation(this.world.rows, tree, 'agent:ada', '') ?? [];
    expect(drafts).toHaveLength(tree.length);
    for (const { kind, body } of drafts) this.world.apply(kind, body);
  }
}

const nameOf = ({ account, budget }: { account: string; budget: string }): string =>
  `${account} ${budget}`;
const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);

function freeIn(row: TaskRow, dimension: string): number {
  const budget = row.budgets[dimension];
  return budget ? taskFree(budget) : 0;
}

/** At every position: nothing minted, nothing lost, nobody over what was given. */
function checkTasks({ world, open, spent, over }: Model): void {
  const all = world.tasks();
  const byParent = Map.groupBy(all, ({ parent }) => parent);
  for (const row of all) {
    const children = byParent.get(row.task) ?? [];
    expect(row.children).toBe(children.filter(({ status }) => status === 'open').length);
    expect(row.openProposals).toBe(open.filter(({ task }) => task === row.task).length);
    for (const dimension of dimensions) {
      const budget = row.budgets[dimension] as NonNullable<TaskRow['budgets'][string]>;
      expect(Math.min(...Object.values(budget))).toBeGreaterThanOrEqual(0);
      expect(budget.carved).toBe(sum(children.map((child) => held(child, dimension))));
      const mayBeOverdrawn = row.parent === null || row.status !== 'open';
      if (!mayBeOverdrawn) expect(taskFree(budget)).toBeGreaterThanOrEqual(0);
    }
  }
  for (const root of byParent.get(null) ?? []) {
    const tree = all.filter(({ task, path }) => task === root.task || path[0] === root.task);
    for (const name of dimensions) checkRoot(root, tree, name, { open, spent, over });
  }
}

function held({ status, budgets }: TaskRow, dimension: string): number {
  const { limit = 0, reserved = 0, carved = 0 } = budgets[dimension] ?? {};
  return status === 'open' ? limit : reserved + carved;
}

function checkRoot(
  root: TaskRow,
  tree: readonly TaskRow[],
  dimension: string,
  { open, spent, over }: Pick<Model, 'open' | 'spent' | 'over'>,
): void {
  const names = tree.map(({ task }) => nameOf(inTask(task, dimension, 0)));
  const actual = sum(names.map((name) => spent.get(name) ?? 0));
  const paying = tree.filter(({ status, parent }) => status === 'open' || parent === null);
  expect(sum(paying.map(({ budgets }) => budgets[dimension]?.spent ?? 0))).toBe(actual);
  const charges = open.flatMap((one) => one.charges).filter((one) => names.includes(nameOf(one)));
  const reserved = sum(charges.map(({ amount }) => amount));
  expect(sum(tree.map(({ budgets }) => budgets[dimension]?.reserved ?? 0))).toBe(reserved);
  const left = sum(paying.map((row) => freeIn(row, dimension)));
  const limit = root.budgets[dimension]?.limit ?? 0;
  expect(actual + reserved + left).toBe(limit);
  const beyond = sum(names.map((name) => over.get(name) ?? 0));
  expect(actual + reserved).toBeLessThanOrEqual(limit + beyond);
}

function checkAccounts({ world, open, over, settlements }: Model): void {
  for (const { account, budget, limit } of accountLimits) {
    const name = nameOf({ account, budget });
    const charges = open.flatMap((one) => one.charges).filter((one) => nameOf(one) === name);
    const state = budgetOf(world.rows, account, budget);
    const reserved = sum(charges.map(({ amount }) => amount));
    expect(state.reserved).toBe(reserved);
    const [, perMs = Number.POSITIVE_INFINITY] = budget.split('/').map(Number);
    const counted = settlements.filter((one) => one.name === name && one.at > world.now - perMs);
    const spent = sum(counted.map(({ actual }) => actual));
    expect(spent + reserved).toBeLessThanOrEqual(limit + (over.get(name) ?? 0));
    if (budget === 'money') expect(state.spent).toBe(spent);
    expect(state.parts?.length ?? 0).toBeLessThanOrEqual(21);
  }
}

function checkSlots({ world, open, fences }: Model): void {
  for (const { resource, max } of [pool, lock]) {
    const row = world.rows.get<SlotRow>(slotKey(resource));
    const taken = open.flatMap(({ leases }) => leases);
    const live = taken.filter((lease) => {
      return lease.resource === resource && world.now < lease.expiresAt;
    });
    expect(live.length).toBeLessThanOrEqual(max);
    for (const { fence } of live) expect(isCurrent(row, fence, world.now)).toBe(true);
    const known = row?.leases.filter(({ expiresAt }) => world.now < expiresAt) ?? [];
    expect(known).toHaveLength(live.length);
    const given = fences[resource] ?? [];
    expect(given).toEqual(given.map((_, index) => index + 1));
  }
}

/** When everything is known and given up, all that was spent is with the roots. */
function checkEnd(model: Model): void {
  for (const proposal of model.open.splice(0)) model.settle(proposal, ({ amount }) => amount);
  const { world } = model;
  world.tasks().forEach(({ parent }, index) => {
    if (parent === null) model.cancel(index);
  });
  for (const { budgets, children } of world.tasks()) {
    expect(children).toBe(0);
    for (const budget of Object.values(budgets)) {
      expect(budget).toMatchObject({ reserved: 0, carved: 0 });
    }
  }
}

const move = fc.record<Move>({
  kind: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('open', 'close', 'cancel', 'unknown') },
    { weight: 2, arbitrary: fc.constantFrom('split', 'wait', 'settle') },
    { weight: 3, arbitrary: fc.constantFrom('grant', 'settle', 'split') },
  ) as fc.Arbitrary<Move['kind']>,
  who: fc.nat(1_000),
  what: fc.nat(1_000),
  much: fc.nat(120),
});
const first: Move = { kind: 'open', who: 0, what: 59, much: 120 };

// proves: gate.budgets
test('concurrent agents conserve all sums and never exceed a budget', () => {
  fc.assert(
    fc.property(fc.array(move, { minLength: 20, maxLength: 80 }), (moves) => {
      const model = new Model();
      for (const each of [first, ...moves]) {
        model.play(each);
        checkTasks(model);
        checkAccounts(model);
        checkSlots(model);
      }
      checkEnd(model);
      checkTasks(model);
    }),
    { numRuns: runs(20, 2_000) },
  );
});
