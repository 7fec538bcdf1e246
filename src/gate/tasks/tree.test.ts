import { describe, expect, test } from 'vitest';
import { gateLimits } from '../limits.ts';
import { childKey, openTaskKey, openTaskPrefix, readOpenTaskKey } from './task-row.ts';
import { inTask, World } from './world.fixture.ts';

function family(): World {
  const world = new World();
  world.open('root', { money: 100 });
  world.split('root', 'child', { money: 60 });
  world.split('child', 'leaf', { money: 20 });
  return world;
}

const money = (world: World, task: string) => world.task(task).budgets.money;

describe('a tree of tasks', () => {
  test('carves the budget of a child out of its parent', () => {
    const world = family();
    expect(money(world, 'root')).toEqual({ limit: 100, spent: 0, reserved: 0, carved: 60 });
    expect(money(world, 'child')).toEqual({ limit: 60, spent: 0, reserved: 0, carved: 20 });
    expect(world.task('leaf')).toMatchObject({ path: ['root', 'child'], parent: 'child' });
    expect(world.task('root').children).toBe(1);
    expect(world.rows.get(childKey('child', 'leaf'))).toEqual({ task: 'leaf' });
  });

  test('lists its open tasks by deadline', () => {
    const world = new World();
    const open = (): string[] =>
      [...world.rows.left()]
        .map(([key]) => key)
        .filter((key) => key.startsWith(openTaskPrefix))
        .sort()
        .map((key) => readOpenTaskKey(key).task);
    world.open('never', {});
    world.open('late', {}, { expiresAt: 1_700_000_000_000 });
    world.open('soon', {}, { expiresAt: 999_999_999_999 });
    world.split('never', 'child', {});
    expect(open()).toEqual(['soon', 'late', 'child', 'never']);
    world.end('task-closed', 'child');
    world.end('task-cancelled', 'soon');
    expect(open()).toEqual(['late', 'never']);
    expect(readOpenTaskKey(openTaskKey('a', null)).until).toBe(Number.POSITIVE_INFINITY);
    expect(readOpenTaskKey(openTaskKey('a', 17))).toEqual({ task: 'a', until: 17 });
  });

  test('returns unspent budget when a task closes', () => {
    const world = family();
    const charges = [inTask('leaf', 'money', 15)];
    world.grant('p1', 'leaf', charges);
    expect(world.task('leaf').openProposals).toBe(1);
    world.settle('p1', 'leaf', charges, () => 5);
    expect(world.task('leaf').openProposals).toBe(0);
    world.end('task-closed', 'leaf');
    expect(money(world, 'child')).toEqual({ limit: 60, spent: 5, reserved: 0, carved: 0 });
    expect(world.rows.get(childKey('child', 'leaf'))).toBeUndefined();
    world.end('task-closed', 'child');
    expect(money(world, 'root')).toEqual({ limit: 100, spent: 5, reserved: 0, carved: 0 });
    expect(world.task('root').children).toBe(0);
    expect(world.task('leaf')).toMatchObject({ status: 'closed', endedSeq: 6 });
  });

  test('charges the parent what the child cannot pay, and overdraws only the root', () => {
    const world = family();
    const charges = [inTask('leaf', 'money', 20)];
    world.grant('p1', 'leaf', charges);
    world.settle('p1', 'leaf', charges, () => 130);
    expect(money(world, 'leaf')).toEqual({ limit: 20, spent: 20, reserved: 0, carved: 0 });
    expect(money(world, 'child')).toEqual({ limit: 60, spent: 40, reserved: 0, carved: 20 });
    expect(money(world, 'root')).toEqual({ limit: 100, spent: 70, reserved: 0, carved: 60 });
  });

  test('keeps the reservations of a cancelled task, and charges an ancestor for them', () => {
    const world = family();
    const charges = [inTask('leaf', 'money', 15)];
    world.grant('p1', 'leaf', charges);
    world.end('task-cancelled', 'leaf');
    world.end('task-cancelled', 'child');
    expect(money(world, 'child')).toMatchObject({ carved: 15 });
    expect(money(world, 'root')).toEqual({ limit: 100, spent: 0, reserved: 0, carved: 15 });
    world.settle('p1', 'leaf', charges, () => 12);
    expect(money(world, 'root')).toEqual({ limit: 100, spent: 12, reserved: 0, carved: 0 });
    expect(money(world, 'leaf')).toMatchObject({ spent: 12, reserved: 0 });
  });

  test('charges the last outcome of a cancelled root to the root', () => {
    const world = family();
    const charges = [inTask('root', 'money', 15)];
    world.grant('p1', 'root', charges);
    for (const task of ['leaf', 'child', 'root']) world.end('task-cancelled', task);
    world.settle('p1', 'root', charges);
    expect(money(world, 'root')).toEqual({ limit: 100, spent: 15, reserved: 0, carved: 0 });
  });

  test('keeps a reservation while its outcome is unknown or under recovery', () => {
    const world = family();
    const charges = [inTask('leaf', 'money', 15)];
    world.grant('p1', 'leaf', charges);
    const facts = { proposal: 'p1', about: 'leaf', taskPath: ['root', 'child'] };
    world.apply('proposal-unknown', { ...facts, recovers: true });
    world.apply('proposal-failed', { ...facts, recovers: true });
    expect(world.task('leaf').openProposals).toBe(1);
    expect(money(world, 'leaf')).toMatchObject({ reserved: 15 });
    const settled = [{ account: 'task/leaf', budget: 'money', reserved: 15, actual: 0 }];
    world.apply('proposal-reconciled', { ...facts, as: 'failed', settled });
    expect(world.task('leaf').openProposals).toBe(0);
    expect(money(world, 'leaf')).toMatchObject({ reserved: 0, spent: 0 });
  });

  test('closes a proposal with an unknown outcome that nobody will investigate', () => {
    const world = family();
    world.grant('p1', 'leaf', []);
    world.apply('proposal-unknown', { proposal: 'p1', about: 'leaf', taskPath: ['root', 'child'] });
    expect(world.task('leaf').openProposals).toBe(0);
  });

  test('lets a child limit what its parent does not', () => {
    const world = family();
    world.split('leaf', 'tiny', { money: 1, tokens: 50 });
    const charges = [inTask('tiny', 'tokens', 50)];
    world.grant('p1', 'tiny', charges);
    world.settle('p1', 'tiny', charges, () => 70);
    world.end('task-closed', 'tiny');
    expect(Object.keys(world.task('leaf').budgets)).toEqual(['money']);
    expect(world.task('tiny').budgets.tokens).toMatchObject({ spent: 50 });
  });

  test('caps its sums at limits.amountMax', () => {
    const world = new World();
    world.open('root', { money: gateLimits.amountMax });
    world.split('root', 'child', { money: gateLimits.amountMax });
    for (const proposal of ['p1', 'p2']) {
      const charges = [inTask('child', 'money', 0)];
      world.grant(proposal, 'child', charges);
      world.settle(proposal, 'child', charges, () => gateLimits.amountMax);
    }
    world.end('task-closed', 'child');
    expect(money(world, 'root')).toMatchObject({ spent: gateLimits.amountMax, carved: 0 });
  });
});

describe('an impossible entry is refused:', () => {
  const charges = [inTask('leaf', 'money', 15)];
  test.each<[string, (world: World) => void]>([
    ['a reservation given back twice', (world) => world.settle('p1', 'leaf', charges)],
    ['an amount below zero', (world) => world.grant('p1', 'leaf', [inTask('leaf', 'money', -1)])],
    ['a budget below zero', (world) => world.open('other', { money: -1 })],
    [
      'a budget that the task has not',
      (world) => world.grant('p1', 'leaf', [inTask('leaf', 'x', 1)]),
    ],
    ['an end with open children', (world) => world.end('task-closed', 'child')],
    ['a second end', (world) => world.end('task-cancelled', 'done')],
    [
      'a child of nobody',
      (world) => world.apply('task-split', { task: 'x', parent: 'y', path: ['y'] }),
    ],
  ])('%s', (_, attempt) => {
    const world = family();
    world.split('root', 'done', { money: 0 });
    world.end('task-closed', 'done');
    const before = JSON.stringify(world.tasks());
    expect(() => attempt(world)).toThrow();
    expect(JSON.stringify(world.tasks())).toBe(before);
  });
});

test('a task begins in the first of its ordered phases', () => {
  const world = new World();
  world.open('root', {}, { phases: ['plan', 'work'], tools: ['order.*'], agent: 'agent:eve' });
  expect(world.task('root')).toMatchObject({
    phase: 'plan',
    tools: ['order.*'],
    agent: 'agent:eve',
  });
  world.apply('task-moved', { task: 'root', phase: 'work' });
  expect(world.task('root')).toMatchObject({ phase: 'work' });
});

test('a task about a change is part of the tree', () => {
  const world = new World();
  world.apply('task-opened', { task: 'task_1', base: 'b1' });
  expect(world.task('task_1')).toMatchObject({
    parent: null,
    path: [],
    agent: 'agent:ada',
    status: 'open',
    tools: null,
    resources: null,
    phase: null,
    budgets: {},
    expiresAt: null,
  });
});

test('a proposal for an unknown task changes nothing', () => {
  const world = new World();
  world.apply('proposal-granted', { proposal: 'p1', about: 'gone' });
  expect(world.tasks()).toEqual([]);
});
