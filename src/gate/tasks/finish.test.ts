import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PolicyDocument } from '../language/index.ts';
import { finishTask, moveTask, openTask, splitTask } from './commands.ts';
import { ada, bob, policy, RealGate, refusalOf, rulesOf } from './real-gate.fixture.ts';

/** An answer counts only if the order was looked at, lately, and paid after that. */
const demanding: PolicyDocument = {
  ...policy,
  tools: {
    ...policy.tools,
    'task.finish': {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['result'],
        properties: {
          result: {
            type: 'object',
            required: ['order', 'paid'],
            properties: {
              order: { type: 'string', maxLength: 40 },
              paid: { type: 'integer', minimum: 0, maximum: 1_000_000 },
            },
          },
        },
      },
      invariants: [
        {
          rule: 'paid-first',
          that: '"order.pay" in seen && seen["order.pay"] >= 1',
          message: 'nothing was paid for this task',
          remedy: 'Pay first: order.pay.',
        },
        {
          rule: 'looked-before-paying',
          that: 'trajectory.filter(step, step.outcome == "committed")[0].tool == "order.get"',
          message: 'it was paid before anybody had looked',
          remedy: 'Look at an order before you pay it: order.get.',
        },
      ],
      governance: {
        evidence: [{ kind: 'order-seen', subject: 'arguments.result.order', freshFor: '10m' }],
      },
    },
  },
};

let real: RealGate;

beforeEach(async () => {
  real = await RealGate.open(demanding);
});
afterEach(async () => {
  expect(await real.close()).toEqual({ different: 0, differences: [] });
});

const answer = { order: 'o1', paid: 40 };

async function open(): Promise<string> {
  return (await openTask(ada, { goal: 'pay o1', budgets: { money: 100 } }, real.deps)).task;
}

describe('finishing a task with a contract', () => {
  // proves: task.path
  test('accepts the right answer by the right path', async () => {
    const task = await open();
    await real.look(ada, task);
    await real.payFor(ada, task, 40);
    expect(await finishTask(ada, task, answer, real.deps)).toEqual({ task });
    expect(await real.find(task)).toMatchObject({ status: 'closed', openProposals: 0 });
  });

  test('refuses the right answer by a wrong path and names the missing steps', async () => {
    const task = await open();
    await real.payFor(ada, task, 40);
    const refused = await refusalOf(finishTask(ada, task, answer, real.deps));
    expect(refused).toMatchObject({ code: 'PROPOSAL_DENIED' });
    expect(rulesOf(refused)).toEqual(['task.finish/looked-before-paying', 'evidence/order-seen']);
    expect(refused.remedy).toContain('Look at an order before you pay it: order.get.');
    expect(refused.details?.evidenceNeeded).toEqual([
      { evidence: 'order-seen', tools: ['order.get'] },
    ]);
    // Looking afterwards brings the evidence, but does not change the path.
    await real.look(ada, task);
    const late = await refusalOf(finishTask(ada, task, answer, real.deps));
    expect(rulesOf(late)).toEqual(['task.finish/looked-before-paying']);
    expect(await real.find(task)).toMatchObject({ status: 'open', openProposals: 0 });
    expect(await real.entries('task-closed')).toEqual([]);
  });

  test('ignores calls for another task', async () => {
    const [task, other] = [await open(), await open()];
    await real.look(ada, other);
    await real.payFor(ada, other, 40);
    const refused = await refusalOf(finishTask(ada, task, answer, real.deps));
    expect(rulesOf(refused)).toContain('task.finish/paid-first');
  });

  test('ignores evidence that is old or about something else', async () => {
    const task = await open();
    await real.look(ada, task);
    await real.payFor(ada, task, 40);
    const other = finishTask(ada, task, { ...answer, order: 'o2' }, real.deps);
    expect(rulesOf(await refusalOf(other))).toEqual(['evidence/order-seen']);
    real.gate.clock.forward(10 * 60_000 + 1);
    const late = finishTask(ada, task, answer, real.deps);
    expect(rulesOf(await refusalOf(late))).toEqual(['evidence/order-seen']);
    await real.look(ada, task);
    expect(await finishTask(ada, task, answer, real.deps)).toEqual({ task });
  });

  test('refuses an answer of the wrong shape', async () => {
    const task = await open();
    for (const result of [null, 'done', { order: 'o1' }, { ...answer, more: 1 }]) {
      const refused = await refusalOf(finishTask(ada, task, result, real.deps));
      expect(rulesOf(refused)).toEqual(['arguments']);
    }
  });

  test('ignores calls that were denied, failed, or only claimed by the agent', async () => {
    const task = await open();
    await real.look(ada, task);
    real.pay = () => Promise.reject(new Error('no'));
    expect(await real.payFor(ada, task, 40)).toMatchObject({ status: 'failed' });
    await refusalOf(real.payFor(ada, task, 101));
    const refused = await refusalOf(finishTask(ada, task, answer, real.deps));
    expect(rulesOf(refused)).toEqual(['task.finish/paid-first']);
  });

  test('accepts no claimed step that the runtime takes itself', async () => {
    const tools = demanding.tools ?? {};
    const run = { command: ['look'] };
    const runHere = { ...tools, 'order.get': { ...tools['order.get'], run } } as typeof tools;
    await real.gate.adopt({ ...demanding, tools: runHere });
    const task = await open();
    for (const [tool, given] of [
      ['order.get', { id: 'o1' }],
      ['task.finish', { result: answer }],
      ['task.split', { goal: 'x' }],
    ] as const) {
      const grant = real.gate.grant({ actor: ada, tool, task, arguments: given }, 'ada herself');
      expect(await refusalOf(grant)).toMatchObject({ code: 'TOOL_RUN_HERE' });
    }
    expect(await real.entries('attempt-refused')).toHaveLength(3);
    const direct = { actor: ada, tool: 'task.split', task, arguments: { goal: 'x' } };
    expect(await real.gate.propose(direct)).toMatchObject({
      status: 'failed',
      fault: { code: 'TOOL_NOT_RUNNABLE' },
    });
    expect(await real.entries('task-split')).toEqual([]);
  });

  test('leaves nothing for a person to resolve after a crash', async () => {
    const task = await open();
    await real.look(ada, task);
    await real.payFor(ada, task, 40);
    const proposal = { actor: ada, tool: 'task.finish', task, arguments: { result: answer } };
    void real.gate.act(proposal, () => new Promise<never>(() => undefined)).catch(() => undefined);
    await expect.poll(async () => (await real.find(task)).openProposals).toBe(1);
    await real.gate.recoverInterrupted();
    expect(await real.find(task)).toMatchObject({ status: 'open', openProposals: 0 });
    expect(await finishTask(ada, task, answer, real.deps)).toEqual({ task });
  });

  test('settles the call when open children prevent the end', async () => {
    const task = await open();
    await real.look(ada, task);
    await real.payFor(ada, task, 40);
    await splitTask(ada, task, { goal: 'c', agent: bob }, real.deps);
    const refused = await refusalOf(finishTask(ada, task, answer, real.deps));
    expect(refused).toMatchObject({ code: 'TASK_HAS_OPEN_CHILDREN' });
    expect(await real.find(task)).toMatchObject({ status: 'open', openProposals: 0 });
  });
});

test('phases are ordered, and the contract of a move may require steps', async () => {
  const text = { type: 'string', maxLength: 40 };
  const moving: PolicyDocument = {
    ...policy,
    tools: {
      ...policy.tools,
      'task.move': {
        effect: 'mutating',
        arguments: { type: 'object', required: ['phase'], properties: { phase: text } },
        invariants: [{ rule: 'looked', that: 'task.phase != "look" || "order.get" in seen' }],
      },
    },
  };
  await real.gate.adopt(moving);
  const wish = { goal: 'g', phases: ['look', 'pay', 'tell'] };
  const { task } = await openTask(ada, wish, real.deps);
  const early = await refusalOf(moveTask(ada, task, 'pay', real.deps));
  expect(rulesOf(early)).toEqual(['task.move/looked']);
  await real.look(ada, task);
  const jump = await refusalOf(moveTask(ada, task, 'tell', real.deps));
  expect(jump).toMatchObject({ code: 'TASK_PHASE_ORDER' });
  expect(await moveTask(ada, task, 'pay', real.deps)).toEqual({ task, phase: 'pay' });
  const half = await refusalOf(finishTask(ada, task, null, real.deps));
  expect(half).toMatchObject({ code: 'TASK_PHASE_ORDER' });
  await moveTask(ada, task, 'tell', real.deps);
  expect(await finishTask(ada, task, null, real.deps)).toEqual({ task });
});
