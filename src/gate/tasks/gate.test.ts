import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fault } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';
import type { TaskRequest } from './api-schema.ts';
import { cancelTask } from './cancel-task.ts';
import { finishTask, moveTask, openTask, splitTask } from './commands.ts';
import { ada, bob, eve, grace, RealGate, refusalOf, rulesOf } from './real-gate.fixture.ts';

let real: RealGate;

beforeEach(async () => {
  real = await RealGate.open();
});
afterEach(async () => {
  expect(await real.close()).toEqual({ different: 0, differences: [] });
});

const open = async (wish: Partial<TaskRequest> = {}): Promise<string> =>
  (await openTask(ada, { goal: 'g', ...wish }, real.deps)).task;

const split = async (parent: string, wish: Partial<TaskRequest> = {}): Promise<string> =>
  (await splitTask(ada, parent, { goal: 'c', ...wish }, real.deps)).task;

/** A root with 1,000 and four tasks below it, each in the one before. */
async function line(): Promise<string[]> {
  const tasks = [await open({ budgets: { money: 1_000 } })];
  for (const money of [800, 600, 400, 200]) {
    tasks.push(await split(tasks.at(-1) as string, { budgets: { money } }));
  }
  return tasks;
}

describe('the budget of a task', () => {
  // proves: gate.budgets, task.tree
  test('is carved down five levels, spent in the leaf, and returned when it closes', async () => {
    const tasks = await line();
    const leaf = tasks.at(-1) as string;
    await real.payFor(ada, leaf, 150);
    expect(await real.money(leaf)).toEqual({ limit: 200, spent: 150, reserved: 0, carved: 0 });
    const above = await Promise.all(tasks.slice(0, -1).map((task) => real.money(task)));
    expect(above.map(({ spent }) => spent)).toEqual([0, 0, 0, 0]);
    expect(above.map(({ carved }) => carved)).toEqual([800, 600, 400, 200]);
    expect(rulesOf(await refusalOf(real.payFor(ada, leaf, 51)))).toEqual(['budget/money']);
    for (const task of tasks.toReversed()) await finishTask(ada, task, 'done', real.deps);
    const closed = await Promise.all(tasks.map((task) => real.money(task)));
    expect(closed.map(({ spent, carved, reserved }) => [spent, carved, reserved])).toEqual(
      tasks.map(() => [150, 0, 0]),
    );
  });

  test('returns to the parent once the child is closed', async () => {
    const root = await open({ budgets: { money: 100 } });
    const child = await split(root, { budgets: { money: 90 } });
    expect(rulesOf(await refusalOf(real.payFor(ada, root, 11)))).toEqual(['budget/money']);
    await real.payFor(ada, child, 40);
    await finishTask(ada, child, null, real.deps);
    await real.payFor(ada, root, 60);
    expect(await real.money(root)).toEqual({ limit: 100, spent: 100, reserved: 0, carved: 0 });
  });

  test('is not exceeded by concurrent splits', async () => {
    const root = await open({ budgets: { money: 100 } });
    const wish = { goal: 'c', budgets: { money: 30 } };
    const many = Array.from({ length: 12 }, () => splitTask(ada, root, wish, real.deps));
    const paying = Array.from({ length: 4 }, () => real.payFor(ada, root, 20));
    const [splits, payments] = await Promise.all([
      Promise.allSettled(many),
      Promise.allSettled(paying),
    ]);
    const { spent, carved, reserved } = await real.money(root);
    const done = (all: readonly PromiseSettledResult<unknown>[]): number =>
      all.filter(({ status }) => status === 'fulfilled').length;
    expect(carved).toBe(30 * done(splits));
    expect(spent).toBe(20 * done(payments));
    expect(reserved).toBe(0);
    expect(spent + carved).toBeLessThanOrEqual(100);
    expect(spent + carved).toBeGreaterThan(70);
    const refused = splits.filter(({ status }) => status === 'rejected');
    expect(await real.entries('proposal-failed')).toHaveLength(refused.length);
  });
});

describe('a child is never wider than its parent', () => {
  const limits = { budgets: { money: 100 }, tools: ['order.get'], resources: ['order/o1'] };
  test.each<[string, Partial<TaskRequest>]>([
    ['more money', { budgets: { money: 101 } }],
    ['other tools', { tools: ['order.pay'] }],
    ['a pattern of tools', { tools: ['order.*'] }],
    ['other resources', { resources: ['order/o2'] }],
    ['a pattern of resources', { resources: ['order/o*'] }],
    ['more time', { expiresInMs: 60_001 }],
  ])('%s', async (_, wish) => {
    const root = await open({ ...limits, expiresInMs: 60_000 });
    const refused = await refusalOf(split(root, wish));
    expect(refused).toMatchObject({ code: 'TASK_WIDER' });
    const [entry] = await real.entries('proposal-failed');
    expect(entry).toMatchObject({ actor: ada, body: { tool: 'task.split', code: 'TASK_WIDER' } });
    expect(await real.find(root)).toMatchObject({ children: 0, openProposals: 0 });
  });

  test('in a call either, whatever else its owner may do', async () => {
    const root = await open({ tools: ['order.*'], resources: ['order/o1'] });
    const child = await split(root, { agent: bob, tools: ['order.get'] });
    expect(rulesOf(await refusalOf(real.payFor(bob, child, 1)))).toEqual(['task.tools']);
    const elsewhere = real.payFor(ada, root, 1, { id: 'o2' });
    expect(rulesOf(await refusalOf(elsewhere))).toEqual(['resources.task']);
    expect(await real.look(bob, child)).toMatchObject({ status: 'committed' });
  });
});

describe('a forged delegation is denied and recorded:', () => {
  // proves: task.forged
  test('the task of another agent', async () => {
    const root = await open({ budgets: { money: 100 } });
    for (const attempt of [
      real.payFor(eve, root, 1),
      splitTask(eve, root, { goal: 'x', agent: eve }, real.deps),
      finishTask(eve, root, 'done', real.deps),
      moveTask(eve, root, 'x', real.deps),
    ]) {
      expect(rulesOf(await refusalOf(attempt))).toEqual(['task.owner']);
    }
    expect(await real.entries('proposal-denied')).toHaveLength(4);
    const cancel = cancelTask(eve, root, 'mine', real.deps);
    expect(await refusalOf(cancel)).toMatchObject({ code: 'TASK_NOT_YOURS' });
    expect(await real.entries('attempt-refused')).toMatchObject([
      { actor: eve, body: { what: 'task.cancel', code: 'TASK_NOT_YOURS' } },
    ]);
    expect(real.payments).toBe(0);
  });

  test('a task that does not exist', async () => {
    const nowhere = 'task_00000000000000000000000000';
    expect(rulesOf(await refusalOf(real.payFor(eve, nowhere, 1)))).toEqual(['task.unknown']);
    const child = splitTask(eve, nowhere, { goal: 'x' }, real.deps);
    expect(await refusalOf(child)).toMatchObject({ code: 'TASK_UNKNOWN' });
    expect(await real.entries('attempt-refused')).toHaveLength(1);
  });

  test('the authority of a parent claimed in arguments', async () => {
    const root = await open({ budgets: { money: 100 } });
    const child = await split(root, { agent: eve, budgets: { money: 10 }, tools: ['order.pay'] });
    const claims = { parent: root, task: root, path: [], agent: ada, budgets: { money: 100 } };
    const denied = await refusalOf(real.payFor(eve, child, 50, claims));
    expect(rulesOf(denied)).toContain('arguments');
    const forged = { goal: 'x', ...claims, budgets: { money: 50 } } as TaskRequest;
    const wider = await refusalOf(splitTask(eve, child, forged, real.deps));
    expect(wider).toMatchObject({ code: 'TASK_WIDER' });
    const small = { ...forged, budgets: { money: 5 }, tools: ['order.*'] };
    expect(await refusalOf(splitTask(eve, child, small, real.deps))).toMatchObject({
      code: 'TASK_WIDER',
    });
    expect(await real.money(root)).toMatchObject({ spent: 0, carved: 10 });
  });

  test('a closed parent', async () => {
    const root = await open();
    await finishTask(ada, root, null, real.deps);
    expect(rulesOf(await refusalOf(split(root)))).toEqual(['task.closed']);
    expect(await real.entries('task-split')).toEqual([]);
  });

  test('an owner without a policy', async () => {
    const root = await open();
    for (const agent of ['agent:mallory', 'person:grace', 'surety:gate'] as const) {
      expect(rulesOf(await refusalOf(split(root, { agent })))).toEqual(['task.agent']);
    }
    const other = openTask(ada, { goal: 'g', agent: bob }, real.deps);
    expect(await refusalOf(other)).toMatchObject({ code: 'TASK_INVALID' });
    expect(await openTask(grace, { goal: 'g', agent: bob }, real.deps)).toMatchObject({});
  });

  test.each<[string, TaskRequest]>([
    ['a negative budget', { goal: 'g', budgets: { money: -1 } }],
    ['a budget with cents', { goal: 'g', budgets: { money: 0.5 } }],
    ['a budget beyond what counts exactly', { goal: 'g', budgets: { money: 2 ** 53 } }],
    ['a budget that is no number', { goal: 'g', budgets: { money: Number.NaN } }],
  ])('%s', async (_, wish) => {
    const root = await open({ budgets: { money: 10 } });
    await refusalOf(splitTask(ada, root, wish, real.deps));
    await refusalOf(openTask(ada, wish, real.deps));
    expect(await real.entries('attempt-refused')).toHaveLength(2);
    expect(await real.find(root)).toMatchObject({ children: 0 });
  });
});

/** A payment that waits until it is let go. */
function paused(real: RealGate): { readonly go: (paid?: number) => void } {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  real.pay = async (amount) => (await promise) ?? amount;
  return { go: resolve };
}

const granted = async (tool: string): Promise<number> =>
  (await real.entries('proposal-granted')).filter(({ body }) => body.tool === tool).length;

describe('cancelling a task', () => {
  // proves: task.cancel
  test('during a call lets it settle and returns the rest to the nearest open task', async () => {
    const [root = '', second = '', third = '', fourth = '', leaf = ''] = await line();
    const { go } = paused(real);
    const paying = real.payFor(ada, leaf, 150);
    await expect.poll(() => granted('order.pay')).toBe(1);
    expect(await cancelTask(ada, second, 'no longer', real.deps)).toEqual({ cancelled: 4 });
    expect(await real.money(root)).toEqual({ limit: 1_000, spent: 0, reserved: 0, carved: 150 });
    for (const task of [second, third, fourth, leaf]) {
      expect(rulesOf(await refusalOf(real.payFor(ada, task, 1)))).toContain('task.closed');
      expect(rulesOf(await refusalOf(split(task)))).toContain('task.closed');
    }
    go(120);
    expect(await paying).toMatchObject({ status: 'committed' });
    expect(await real.money(root)).toEqual({ limit: 1_000, spent: 120, reserved: 0, carved: 0 });
    expect(await real.find(leaf)).toMatchObject({ status: 'cancelled', openProposals: 0 });
    await real.payFor(ada, root, 880);
    await finishTask(ada, root, null, real.deps);
    expect(real.payments).toBe(2);
  });

  test('during a call that fails spends nothing', async () => {
    const [root = '', second = '', , , leaf = ''] = await line();
    const { promise, reject } = Promise.withResolvers<number>();
    real.pay = () => promise;
    const paying = real.payFor(ada, leaf, 150);
    await expect.poll(() => granted('order.pay')).toBe(1);
    await cancelTask(grace, second, 'no longer', real.deps);
    reject(new Error('no'));
    expect(await paying).toMatchObject({ status: 'failed' });
    expect(await real.money(root)).toEqual({ limit: 1_000, spent: 0, reserved: 0, carved: 0 });
  });

  test.each([
    ['committed', 30],
    ['failed', 0],
  ] as const)(
    'keeps the reservation of an unknown outcome until a person resolves it as %s',
    async (as, spent) => {
      const root = await open({ budgets: { money: 100 } });
      const child = await split(root, { budgets: { money: 40 } });
      real.pay = () => Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));
      const { status, proposal } = await real.payFor(ada, child, 30);
      expect(status).toBe('unknown');
      await cancelTask(ada, child, 'no longer', real.deps);
      expect(await real.money(root)).toMatchObject({ spent: 0, carved: 30 });
      expect(rulesOf(await refusalOf(real.payFor(ada, root, 71)))).toEqual(['budget/money']);
      await real.gate.resolve({ proposal, as, reason: 'I called the bank', actor: grace });
      expect(await real.money(root)).toEqual({ limit: 100, spent, reserved: 0, carved: 0 });
      expect(await real.find(child)).toMatchObject({ openProposals: 0 });
    },
  );

  test('voids its pending approvals everywhere', async () => {
    const root = await open();
    const other = await open();
    const held = await refusalOf(real.payFor(ada, root, 9_000));
    expect(held).toMatchObject({ code: 'PROPOSAL_HELD' });
    const { approval, argumentsHash } = held.details as { approval: string; argumentsHash: string };
    await cancelTask(ada, root, 'no longer', real.deps);
    const answer = { approval, argumentsHash, roles: ['approver'], reason: 'ok' };
    await real.gate.approve({ ...answer, actor: grace });
    expect(rulesOf(await refusalOf(real.payFor(ada, root, 9_000)))).toEqual(['task.closed']);
    const elsewhere = await refusalOf(real.payFor(ada, other, 9_000));
    expect(elsewhere).toMatchObject({ code: 'PROPOSAL_HELD' });
    expect(elsewhere.details?.approval).not.toBe(approval);
    const given = { id: 'o1', amount: 9_000 };
    const alone = real.gate.propose({ actor: ada, tool: 'order.pay', arguments: given });
    expect(await refusalOf(alone)).toMatchObject({ code: 'PROPOSAL_HELD' });
    expect(real.payments).toBe(0);
  });

  test('denies a call that waits for its approval', async () => {
    const root = await open();
    const given = { id: 'o1', amount: 9_000 };
    const proposal = { actor: ada, tool: 'order.pay', task: root, arguments: given };
    const waiting = refusalOf(real.gate.propose({ ...proposal, waitMs: 20_000 }));
    await expect.poll(() => real.entries('proposal-held')).toHaveLength(1);
    const [held] = await real.entries('proposal-held');
    await cancelTask(ada, root, 'no longer', real.deps);
    const { approval, argumentsHash } = (held as Entry).body as Record<string, string>;
    const asked = { approval: String(approval), argumentsHash: String(argumentsHash) };
    await real.gate.approve({ ...asked, roles: ['approver'], reason: 'ok', actor: grace });
    expect(rulesOf(await waiting)).toEqual(['task.closed']);
    expect(real.payments).toBe(0);
  });
});

describe('a task after its deadline', () => {
  const look = (): Promise<void> =>
    real.gate.maintain((error) => {
      throw error;
    });

  test('is cancelled with its descendants and returns what is left', async () => {
    const root = await open({ budgets: { money: 100 } });
    const child = await split(root, { budgets: { money: 60 }, expiresInMs: 60_000 });
    const leaf = await split(child, { budgets: { money: 20 } });
    const short = await split(child, { budgets: { money: 5 }, expiresInMs: 30_000 });
    await real.payFor(ada, leaf, 15);
    await look();
    expect(await real.entries('task-cancelled')).toEqual([]);
    real.gate.clock.forward(30_000);
    expect(rulesOf(await refusalOf(real.payFor(ada, short, 1)))).toEqual(['task.closed']);
    await look();
    expect(await real.entries('task-cancelled')).toMatchObject([
      { actor: 'surety:gate', body: { task: short } },
    ]);
    expect(await real.money(child)).toMatchObject({ carved: 20 });
    real.gate.clock.forward(30_000);
    await look();
    await look();
    expect((await real.entries('task-cancelled')).map(({ body }) => body.task)).toEqual([
      short,
      leaf,
      child,
    ]);
    expect(await real.money(root)).toEqual({ limit: 100, spent: 15, reserved: 0, carved: 0 });
    expect(await real.find(root)).toMatchObject({ status: 'open', children: 0 });
  });

  test('lets a call in flight settle', async () => {
    const root = await open({ budgets: { money: 100 }, expiresInMs: 60_000 });
    const { go } = paused(real);
    const paying = real.payFor(ada, root, 80);
    await expect.poll(() => granted('order.pay')).toBe(1);
    real.gate.clock.forward(60_000);
    await look();
    expect(await real.find(root)).toMatchObject({ status: 'cancelled', openProposals: 1 });
    go();
    expect(await paying).toMatchObject({ status: 'committed' });
    expect(await real.money(root)).toMatchObject({ spent: 80, reserved: 0 });
  });
});

describe('a grant for an external executor', () => {
  const asked = (task: string, amount: number) => ({
    actor: ada,
    tool: 'order.pay',
    task,
    arguments: { id: 'o1', amount },
  });

  test.each(['cancelled', 'out of time'])('cannot be redeemed once its task is %s', async (how) => {
    const task = await open({ budgets: { money: 100 }, expiresInMs: 10_000 });
    const granted = await real.gate.grant(asked(task, 30), 'bank');
    const { token } = granted as { token: string };
    if (how === 'cancelled') await cancelTask(ada, task, 'no longer', real.deps);
    else real.gate.clock.forward(10_000);
    expect(await refusalOf(real.gate.redeem(token))).toMatchObject({
      code: 'GRANT_REFUSED',
      message: expect.stringContaining('has ended'),
    });
    expect(await real.entries('attempt-refused')).toMatchObject([{ body: { what: 'redemption' } }]);
    expect(await real.money(task)).toMatchObject({ spent: 0, reserved: 0 });
  });

  test('settles after its task was cancelled if it was redeemed before', async () => {
    const root = await open({ budgets: { money: 100 } });
    const task = await split(root, { budgets: { money: 40 } });
    const { token } = (await real.gate.grant(asked(task, 30), 'bank')) as { token: string };
    await real.gate.redeem(token);
    await cancelTask(ada, task, 'no longer', real.deps);
    await real.gate.settle(token, { status: 'committed', value: { paid: 25 } });
    // That it cost less is only the executor's word.
    expect(await real.money(root)).toEqual({ limit: 100, spent: 30, reserved: 0, carved: 0 });
  });
});
