import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesPattern } from '../language/index.ts';
import { gateLimits } from '../limits.ts';
import type { TaskRequest, TaskRow } from './api-schema.ts';
import { carveChild, rootFacts } from './carve.ts';
import { checkFinish, checkMove } from './finish.ts';
import { checkTaskRequest } from './task-request.ts';
import { isTaskLive } from './task-row.ts';

const now = 1_700_000_000_000;

const parent: TaskRow = {
  task: 'task_1',
  parent: null,
  path: [],
  agent: 'agent:ada',
  status: 'open',
  tools: ['order.*', 'refund.issue'],
  resources: ['order/*'],
  phases: [],
  phase: null,
  budgets: {
    money: { limit: 100, spent: 10, reserved: 20, carved: 30 },
    calls: { limit: 5, spent: 0, reserved: 0, carved: 0 },
  },
  children: 0,
  openProposals: 0,
  expiresAt: now + 60_000,
  openedSeq: 1,
  endedSeq: 0,
};

const carve = (wish: Partial<TaskRequest>, more: Partial<TaskRow> = {}) =>
  carveChild({ ...parent, ...more }, 'agent:ada', { goal: '', ...wish }, now);

describe('a child task', () => {
  test('has the budgets that it was given and the fences of its parent', () => {
    expect(carve({})).toEqual({
      parent: 'task_1',
      path: ['task_1'],
      agent: 'agent:ada',
      tools: ['order.*', 'refund.issue'],
      resources: ['order/*'],
      phases: [],
      budgets: { money: 0, calls: 0 },
      expiresAt: now + 60_000,
    });
  });

  test('may get all that its parent has left, to the last unit', () => {
    const wish: Partial<TaskRequest> = {
      agent: 'agent:bob',
      tools: ['order.get', 'order.r*'],
      resources: ['order/7*'],
      budgets: { money: 40, calls: 5, tokens: 1_000 },
      expiresInMs: 60_000,
    };
    expect(carve(wish)).toMatchObject({
      agent: 'agent:bob',
      tools: ['order.get', 'order.r*'],
      resources: ['order/7*'],
      budgets: { money: 40, calls: 5, tokens: 1_000 },
      expiresAt: now + 60_000,
    });
    expect(carve({ tools: [], resources: [] })).toMatchObject({ tools: [], resources: [] });
  });

  test.each<[string, Partial<TaskRequest>, string]>([
    ['more of a budget', { budgets: { money: 41 } }, '41 of money'],
    ['another tool', { tools: ['order.get', 'payment.send'] }, 'payment.send'],
    ['a wider pattern', { tools: ['order*'] }, 'order*'],
    ['every tool', { tools: ['*'] }, '*'],
    ['another resource', { resources: ['customer/1'] }, 'customer/1'],
    ['a longer life', { expiresInMs: 60_001 }, 'that much time'],
  ])('never gets %s', (_, wish, what) => {
    expect(() => carve(wish)).toThrow(
      expect.objectContaining({
        code: 'TASK_WIDER',
        message: expect.stringContaining(what),
        remedy: expect.stringContaining('has left: '),
      }),
    );
  });

  test('gets nothing out of an overdrawn budget', () => {
    const budgets = { money: { limit: 10, spent: 30, reserved: 0, carved: 0 } };
    expect(carve({ budgets: { money: 0 } }, { budgets }).budgets).toEqual({ money: 0 });
    expect(() => carve({ budgets: { money: 1 } }, { budgets })).toThrow('1 of money');
  });

  test('is at most limits.taskDepthMax below its root', () => {
    const path = (length: number) => Array.from({ length }, (_, index) => `task_${index}`);
    const deepest = carve({}, { path: path(gateLimits.taskDepthMax - 1) });
    expect(deepest.path).toHaveLength(gateLimits.taskDepthMax);
    expect(() => carve({}, { path: path(gateLimits.taskDepthMax) })).toThrow(
      expect.objectContaining({ code: 'TASK_TOO_LARGE' }),
    );
  });

  test('is one of at most limits.taskChildrenMax', () => {
    expect(carve({}, { children: gateLimits.taskChildrenMax - 1 }).parent).toBe('task_1');
    expect(() => carve({}, { children: gateLimits.taskChildrenMax })).toThrow(
      expect.objectContaining({ code: 'TASK_TOO_LARGE' }),
    );
  });

  test('can do nothing that its parent cannot', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 6 });
    const patterns = fc.array(letters, { maxLength: 3 });
    const names = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 6 }));
    fc.assert(
      fc.property(patterns, patterns, names, (given, asked, tools) => {
        let child: readonly string[] = [];
        try {
          child = carve({ tools: asked }, { tools: given }).tools ?? ['*'];
        } catch {
          return;
        }
        for (const tool of tools) {
          const may = (list: readonly string[]) => list.some((one) => matchesPattern(one, tool));
          expect(may(child) && !may(given)).toBe(false);
        }
      }),
    );
  });
});

describe('a root task', () => {
  test('has the limits of its request and belongs to whoever opens it', () => {
    const wish = { goal: '', budgets: { money: 7 }, expiresInMs: 5 };
    expect(rootFacts('agent:ada', wish, now)).toEqual({
      parent: null,
      path: [],
      agent: 'agent:ada',
      tools: null,
      resources: null,
      phases: [],
      budgets: { money: 7 },
      expiresAt: now + 5,
    });
  });

  test('can be opened for somebody else only by a person', () => {
    const wish: TaskRequest = { goal: '', agent: 'agent:bob' };
    expect(rootFacts('person:root', wish, now).agent).toBe('agent:bob');
    expect(() => rootFacts('agent:ada', wish, now)).toThrow(
      expect.objectContaining({ code: 'TASK_INVALID' }),
    );
  });
});

describe('a task request', () => {
  test('is accepted at its limits', () => {
    const budgets = { money: gateLimits.amountMax, calls: 0 };
    const wish = { goal: '', budgets, phases: ['a', 'b'], tools: ['*'], expiresInMs: 1 };
    expect(() => checkTaskRequest(wish)).not.toThrow();
  });

  test.each<[string, object, string]>([
    ['an amount below zero', { budgets: { money: -1 } }, 'AMOUNT_INVALID'],
    ['half an amount', { budgets: { money: 0.5 } }, 'AMOUNT_INVALID'],
    ['too large an amount', { budgets: { money: gateLimits.amountMax + 1 } }, 'AMOUNT_INVALID'],
    ['a text as an amount', { budgets: { money: '5' } }, 'AMOUNT_INVALID'],
    ['a strange dimension', { budgets: JSON.parse('{"__proto__": 1}') }, 'TASK_INVALID'],
    ['a dimension with a window', { budgets: { 'calls/1000': 1 } }, 'TASK_INVALID'],
    ['an agent without a kind', { agent: 'bob' }, 'TASK_INVALID'],
    ['an empty pattern', { tools: [''] }, 'TASK_INVALID'],
    ['a pattern with a line', { resources: ['a\nb'] }, 'TASK_INVALID'],
    ['a huge pattern', { resources: ['x'.repeat(401)] }, 'TASK_INVALID'],
    ['a phase twice', { phases: ['a', 'b', 'a'] }, 'TASK_INVALID'],
    ['a phase without a name', { phases: [''] }, 'TASK_INVALID'],
    ['no time', { expiresInMs: 0 }, 'TASK_INVALID'],
    ['endless time', { expiresInMs: Number.POSITIVE_INFINITY }, 'TASK_INVALID'],
  ])('with %s is refused', (_, wish, code) => {
    const check = () => checkTaskRequest({ goal: '', ...wish } as TaskRequest);
    expect(check).toThrow(expect.objectContaining({ code }));
  });
});

describe('ending a task', () => {
  // Its own proposal is open while it is decided.
  const open = { ...parent, openProposals: 1 };
  test.each<[string, Partial<TaskRow>, 'agent:ada' | 'agent:bob' | 'person:root', string | null]>([
    ['nothing is open', {}, 'agent:ada', null],
    ['a person ends it', {}, 'person:root', null],
    ['it is in its last phase', { phases: ['a', 'b'], phase: 'b' }, 'agent:ada', null],
    ['it is somebody else’s', {}, 'agent:bob', 'TASK_NOT_YOURS'],
    ['a child is open', { children: 1 }, 'agent:ada', 'TASK_HAS_OPEN_CHILDREN'],
    ['a proposal is open', { openProposals: 2 }, 'agent:ada', 'TASK_HAS_OPEN_PROPOSALS'],
    ['a later phase remains', { phases: ['a', 'b'], phase: 'a' }, 'agent:ada', 'TASK_PHASE_ORDER'],
    ['it has ended', { status: 'cancelled' }, 'agent:ada', 'TASK_CLOSED'],
  ])('is checked when %s', (_, more, actor, code) => {
    const check = () => checkFinish({ ...open, ...more }, actor);
    if (code === null) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code }));
  });
});

describe('the phases of a task', () => {
  const row: TaskRow = { ...parent, phases: ['plan', 'work', 'check'], phase: 'work' };
  test('advance one at a time', () => {
    expect(() => checkMove(row, 'agent:ada', 'check')).not.toThrow();
    for (const to of ['plan', 'work', 'other']) {
      expect(() => checkMove(row, 'agent:ada', to)).toThrow(
        expect.objectContaining({ code: 'TASK_PHASE_ORDER', remedy: 'The next phase is check.' }),
      );
    }
    expect(() => checkMove({ ...row, phase: 'plan' }, 'agent:ada', 'check')).toThrow();
    expect(() => checkMove({ ...row, phases: [], phase: null }, 'agent:ada', 'plan')).toThrow();
    expect(() => checkMove(row, 'agent:bob', 'check')).toThrow(
      expect.objectContaining({ code: 'TASK_NOT_YOURS' }),
    );
  });
});

test('a task is open until it ends or its time is over', () => {
  expect(isTaskLive(parent, now + 59_999)).toBe(true);
  expect(isTaskLive(parent, now + 60_000)).toBe(false);
  expect(isTaskLive({ ...parent, expiresAt: null }, now + 1e12)).toBe(true);
  expect(isTaskLive({ ...parent, status: 'closed' }, now)).toBe(false);
});
