import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { cancelTask, finishTask, openTask, renewTask, splitTask } from '../tasks/index.ts';
import { ada, bob, eve, policy, RealGate, refusalOf, rulesOf } from '../tasks/real-gate.fixture.ts';
import { type JoinRequest, type JoinRow, joinRequestSchema } from './api-schema.ts';
import { findJoin, gradeTask, openJoin } from './commands.ts';
import { waitForJoin } from './wait-for-join.ts';

let real: RealGate;
let root: string;

beforeEach(async () => {
  real = await RealGate.open();
  ({ task: root } = await openTask(ada, { goal: 'ship it', budgets: { money: 100 } }, real.deps));
});

afterEach(async () => {
  expect(await real.close()).toMatchObject({ different: 0, differences: [] });
});

async function split(agent: Actor, more: object = {}): Promise<string> {
  const wish = { goal: `part of ${agent}`, agent, budgets: { money: 10 }, ...more };
  return (await splitTask(ada, root, wish, real.deps)).task;
}

const finish = (agent: Actor, task: string) =>
  finishTask(agent, task, { by: agent }, real.deps).then(() => undefined);

const join = async (request: JoinRequest): Promise<string> =>
  (await openJoin(ada, root, request, real.deps)).join;

const find = (id: string): Promise<JoinRow> => findJoin(id, real.deps);

const maintain = () =>
  real.gate.maintain((error) => {
    throw error;
  });

describe('a join', () => {
  // proves: task.join
  test('over all children is met by the last one that finishes', async () => {
    const [one, two] = [await split(bob), await split(eve)];
    const id = await join({ mode: 'all' });
    await finish(bob, one);
    expect(await find(id)).toMatchObject({ state: 'waiting', needed: 2 });
    const waiting = waitForJoin(id, 60_000, { ...real.deps, clock: real.gate.clock });
    await finish(eve, two);
    expect(await waiting).toMatchObject({ state: 'met' });
  });

  test('is one of at most gateLimits.joinsPerChildMax of each child', async () => {
    const one = await split(bob);
    const open = () => join({ mode: 'all', children: [one] });
    for (let count = 0; count < gateLimits.joinsPerChildMax; count++) await open();
    expect(await refusalOf(open())).toMatchObject({ code: 'JOIN_INVALID' });
  });

  test('has a deadline of at most gateLimits.joinMsMax', () => {
    const accepts = (expiresInMs: number) =>
      joinRequestSchema.safeParse({ mode: 'all', expiresInMs }).success;
    const max = gateLimits.joinMsMax;
    expect([accepts(max), accepts(max + 1)]).toEqual([true, false]);
  });

  test('over any child can cancel the rest, whose budget returns', async () => {
    const [one, two] = [await split(bob), await split(eve)];
    const id = await join({ mode: 'any', rest: 'cancel' });
    await finish(bob, one);
    expect((await find(id)).state).toBe('met');
    expect((await real.find(two)).status).toBe('cancelled');
    expect(await real.money(root)).toMatchObject({ carved: 0, spent: 0 });
  });

  test('of a quorum is met by enough children, and missed as soon as too many fail', async () => {
    const parts = [await split(bob), await split(eve), await split(bob)];
    const [met, missed] = [
      await join({ mode: 'quorum', count: 1 }),
      await join({ mode: 'quorum', count: 2 }),
    ];
    await finish(bob, parts[0] as string);
    expect((await find(met)).state).toBe('met');
    await cancelTask(eve, parts[1] as string, 'cannot', real.deps);
    expect((await find(missed)).state).toBe('waiting');
    await cancelTask(bob, parts[2] as string, 'cannot', real.deps);
    expect(await find(missed)).toMatchObject({
      state: 'missed',
      reason: '2 children failed: 1 of 3 children count, 2 needed',
    });
  });

  test('on the first verified child waits for evidence about it', async () => {
    const [one, two] = [await split(bob), await split(eve)];
    const id = await join({ mode: 'first-verified', evidence: ['order-seen'] });
    await finish(bob, one);
    await maintain();
    expect((await find(id)).state).toBe('waiting');
    await finish(eve, two);
    // The evidence is about the second child; the first one finished sooner, unverified.
    await real.look(ada, root, two);
    await maintain();
    expect((await find(id)).state).toBe('met');
    const [settled] = await real.entries('join-settled');
    expect(settled?.body).toMatchObject({ counted: [two] });
  });

  // proves: task.graded
  test('counts no result that its author graded, and fails with a refused one', async () => {
    const [one, two] = [await split(bob), await split(eve)];
    const id = await join({ mode: 'all', graded: true });
    const grade = (grader: Actor, task: string, accepted: boolean) =>
      gradeTask(grader, task, { accepted, reason: 'looked at it' }, real.deps);
    expect(await refusalOf(grade(eve, one, true))).toMatchObject({ code: 'GRADE_TOO_EARLY' });
    await finish(bob, one);
    await finish(eve, two);
    expect(await refusalOf(grade(bob, one, true))).toMatchObject({ code: 'GRADE_BY_AUTHOR' });
    expect((await find(id)).state).toBe('waiting');
    await grade(eve, one, true);
    expect((await find(id)).state).toBe('waiting');
    await grade(bob, two, false);
    expect(await find(id)).toMatchObject({ state: 'missed' });
  });

  test('is missed at its deadline and says what counted until then', async () => {
    const [one] = [await split(bob), await split(eve)];
    const id = await join({ mode: 'all', expiresInMs: 60_000 });
    await finish(bob, one as string);
    real.gate.clock.forward(59_000);
    await maintain();
    expect((await find(id)).state).toBe('waiting');
    real.gate.clock.forward(1_000);
    await maintain();
    expect(await find(id)).toMatchObject({
      state: 'missed',
      reason: 'the deadline passed: 1 of 2 children count, 2 needed',
    });
  });

  test('of a finished child is met at once', async () => {
    const one = await split(bob);
    await finish(bob, one);
    const id = await join({ mode: 'all', children: [one] });
    expect((await find(id)).state).toBe('met');
  });

  test('is settled at the next start if the daemon died before it was', async () => {
    const one = await split(bob);
    const id = await join({ mode: 'all' });
    // The commands without joins are those of a process that ends right after the child did.
    const { onEnded: _, ...dying } = real.deps;
    await finishTask(bob, one, null, dying);
    expect((await find(id)).state).toBe('waiting');
    await maintain();
    expect((await find(id)).state).toBe('met');
  });
});

describe('an impossible join is refused:', () => {
  const cases: readonly (readonly [string, JoinRequest])[] = [
    ['no child', { mode: 'all' }],
    ['a task that is no child', { mode: 'all', children: ['task_unknown'] }],
    ['a quorum without a count', { mode: 'quorum', children: ['a', 'b'] }],
    ['a count without a quorum', { mode: 'any', count: 1, children: ['a'] }],
    ['more than there are', { mode: 'quorum', count: 3, children: ['a', 'b'] }],
    ['a child named twice', { mode: 'all', children: ['a', 'a'] }],
    ['first-verified without a proof', { mode: 'first-verified', children: ['a'] }],
    [
      'too many children',
      { mode: 'any', children: Array.from({ length: gateLimits.joinChildrenMax + 1 }, String) },
    ],
  ];

  test.each(cases)('%s', async (_, request) => {
    const refused = await refusalOf(openJoin(ada, root, request, real.deps));
    expect(['JOIN_INVALID', 'TASK_UNKNOWN']).toContain(refused.code);
  });

  test('by an agent that does not own the parent', async () => {
    await split(bob);
    const refused = await refusalOf(openJoin(bob, root, { mode: 'all' }, real.deps));
    expect(rulesOf(refused)).toContain('task.owner');
  });

  test('with more kinds of evidence than limits.joinEvidenceMax', () => {
    const evidence = Array.from({ length: gateLimits.joinEvidenceMax }, (_, index) => `k${index}`);
    const accepts = (kinds: readonly string[]) =>
      joinRequestSchema.safeParse({ mode: 'any', evidence: kinds }).success;
    expect([accepts(evidence), accepts([...evidence, 'more'])]).toEqual([true, false]);
  });

  test('of the grandchildren', async () => {
    const child = await split(ada);
    const { task } = await splitTask(ada, child, { goal: 'deeper' }, real.deps);
    const refused = await refusalOf(
      openJoin(ada, root, { mode: 'all', children: [task] }, real.deps),
    );
    expect(refused).toMatchObject({ code: 'JOIN_INVALID' });
  });
});

describe('a task with a lease', () => {
  const leaseMs = 60_000;

  // proves: task.lost
  test('is cancelled if its agent does nothing for it in time', async () => {
    const one = await split(bob, { leaseMs });
    const id = await join({ mode: 'all' });
    real.gate.clock.forward(leaseMs - 1_000);
    await maintain();
    await renewTask(bob, one, real.deps);
    real.gate.clock.forward(leaseMs - 1_000);
    await maintain();
    expect((await real.find(one)).status).toBe('open');
    real.gate.clock.forward(1_000);
    await maintain();
    expect((await real.find(one)).status).toBe('cancelled');
    expect((await find(id)).state).toBe('missed');
    expect(real.gate.notices).toMatchObject([{ event: 'task-lost', facts: { rule: 'cancel' } }]);
  });

  test('waits for a person if it says so, and goes on when its agent comes back', async () => {
    const one = await split(bob, { leaseMs, onLost: 'ask' });
    real.gate.clock.forward(leaseMs);
    await maintain();
    await maintain();
    expect(await real.find(one)).toMatchObject({ status: 'open', lease: { isLost: true } });
    expect(real.gate.notices).toHaveLength(1);
    await renewTask(bob, one, real.deps);
    expect(await real.find(one)).toMatchObject({ lease: { isLost: false } });
  });

  test('is replaced by a task of its parent’s agent, which counts in its place', async () => {
    const one = await split(bob, { leaseMs, onLost: 'replace' });
    await real.payFor(bob, one, 4);
    const id = await join({ mode: 'all' });
    real.gate.clock.forward(leaseMs);
    await maintain();
    const { replacedBy, status } = await real.find(one);
    expect(status).toBe('cancelled');
    expect(await real.find(String(replacedBy))).toMatchObject({
      agent: ada,
      budgets: { money: { limit: 6 } },
    });
    expect(await real.money(root)).toMatchObject({ spent: 4, carved: 6 });
    await finish(ada, String(replacedBy));
    expect((await find(id)).state).toBe('met');
  });

  test('is refused outside of its limits, and onLost without a lease', async () => {
    await split(bob, { leaseMs: gateLimits.taskLeaseMsMin });
    await split(bob, { leaseMs: gateLimits.taskLeaseMsMax });
    for (const wrong of [gateLimits.taskLeaseMsMin - 1, gateLimits.taskLeaseMsMax + 1, 1.5]) {
      const refused = await refusalOf(split(bob, { leaseMs: wrong }));
      expect(refused).toMatchObject({ code: 'TASK_INVALID' });
    }
    expect(await refusalOf(split(bob, { onLost: 'ask' }))).toMatchObject({ code: 'TASK_INVALID' });
    expect(await refusalOf(renewTask(ada, root, real.deps))).toMatchObject({
      code: 'TASK_INVALID',
    });
  });
});

describe('what an agent has read', () => {
  const guarded = {
    ...policy,
    tools: {
      ...policy.tools,
      'order.pay': {
        ...policy.tools?.['order.pay'],
        invariants: [{ rule: 'untainted', that: '!("order.get" in begun)' }],
      },
    },
  };

  // proves: task.taint
  test('follows into the tasks that it gives to others', async () => {
    await real.gate.adopt(guarded as typeof policy);
    const before = await split(bob);
    await real.payFor(bob, before, 1);
    await real.look(ada, root);
    const after = await split(bob);
    expect(rulesOf(await refusalOf(real.payFor(bob, after, 1)))).toEqual(['order.pay/untainted']);
    // Another task of the same agent is no way around it.
    expect(rulesOf(await refusalOf(real.payFor(bob, before, 1)))).toEqual(['order.pay/untainted']);
  });

  test('follows with the results of a join', async () => {
    await real.gate.adopt(guarded as typeof policy);
    const one = await split(bob);
    await real.look(bob, one);
    await real.payFor(ada, root, 1);
    await join({ mode: 'all' });
    await finish(bob, one);
    expect(rulesOf(await refusalOf(real.payFor(ada, root, 1)))).toEqual(['order.pay/untainted']);
  });
});
