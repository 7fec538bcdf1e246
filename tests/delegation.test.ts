import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../src/http/index.ts';
import { apiLimits } from '../src/http/limits.ts';
import { connectWithToken } from '../src/runtime/connect.ts';
import { agentTokenFile } from '../src/runtime/identities.ts';
import { AgentClient } from './harness/mcp/agent-client.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const policy = `version: 1
tools:
  order.pay:
    effect: mutating
    arguments: {type: object, required: [amount], properties: {amount: {type: integer, minimum: 1, maximum: 9999}}}
    run: {command: [node, pay.mjs]}
    governance: {cost: {money: arguments.amount}}
  task.finish:
    effect: mutating
    arguments: {type: object, required: [result], properties: {result: {type: string, maxLength: 40}}}
    invariants:
      - {rule: paid, that: '"order.pay" in seen', remedy: 'Pay first: order.pay.'}
agents:
  ada: {tools: [task.*, order.*]}
  bob: {tools: [task.*, order.*]}
  eve: {tools: [task.*, order.*]}
`;

let workspace: Workspace;

beforeAll(async () => {
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  writeFileSync(join(workspace.root, 'policy.yaml'), policy);
  writeFileSync(join(workspace.root, 'pay.mjs'), 'process.stdout.write("{}");');
  await workspace.up();
});
afterAll(async () => {
  expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  await workspace[Symbol.asyncDispose]();
});

function clientOf(agent: string): Client {
  const token = readFileSync(agentTokenFile(workspace.place, agent), 'utf8').trim();
  return connectWithToken(workspace.place, token);
}

const pay = (client: Client, task: string, amount: number) =>
  client.call('POST /v1/proposals', { body: { tool: 'order.pay', task, arguments: { amount } } });

describe('tasks over HTTP', () => {
  // proves: task.tree
  test('are split between agents, spent and returned', async () => {
    const [ada, bob, eve] = [clientOf('ada'), clientOf('bob'), clientOf('eve')];
    const body = { goal: 'pay them all', budgets: { money: 100 }, tools: ['order.*'] };
    const root = await ada.call('POST /v1/tasks', { body });
    const money = { limit: 100, spent: 0, reserved: 0, carved: 0, free: 100 };
    expect(root).toMatchObject({ agent: 'agent:ada', change: null, parent: null, status: 'open' });
    expect(root.budgets).toEqual({ money });
    const path = { task: root.task };
    const wish = { goal: 'pay one', agent: 'agent:bob', budgets: { money: 60 } };
    const child = await ada.call('POST /v1/tasks/{task}/split', { path, body: wish });
    expect(child).toMatchObject({ agent: 'agent:bob', parent: root.task, tools: ['order.*'] });
    expect(await pay(bob, child.task, 40)).toMatchObject({ status: 'committed' });
    await expect(pay(bob, child.task, 21)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    await expect(pay(bob, root.task, 1)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    await expect(pay(ada, root.task, 41)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    const under = { query: { parent: root.task } };
    expect(await ada.call('GET /v1/tasks', under)).toMatchObject({
      tasks: [{ task: child.task, goal: 'pay one', budgets: { money: { free: 20 } } }],
      next: null,
    });
    // Whose it is not does not even learn that it is there.
    for (const wanted of [root.task, child.task]) {
      const unknown = eve.call('GET /v1/tasks/{task}', { path: { task: wanted } });
      await expect(unknown).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
    }
    expect(await eve.call('GET /v1/tasks', { query: {} })).toEqual({ tasks: [], next: null });
    const end = { path: { task: child.task }, body: { result: 'paid' } };
    expect(await bob.call('POST /v1/tasks/{task}/finish', end)).toMatchObject({
      status: 'closed',
      budgets: { money: { spent: 40, free: 0 } },
    });
    expect(await ada.call('GET /v1/tasks/{task}', { path })).toMatchObject({
      children: 0,
      budgets: { money: { limit: 100, spent: 40, carved: 0, free: 60 } },
    });
    const early = ada.call('POST /v1/tasks/{task}/finish', { path, body: { result: 'paid' } });
    await expect(early).rejects.toMatchObject({
      code: 'PROPOSAL_DENIED',
      remedy: expect.stringContaining('Pay first: order.pay.'),
    });
    const cancel = { path, body: { reason: 'enough' } };
    expect(await ada.call('POST /v1/tasks/{task}/cancel', cancel)).toEqual({ cancelled: 1 });
  });

  test('are opened and split once per idempotency key', async () => {
    const ada = clientOf('ada');
    const body = { goal: 'once', budgets: { money: 10 } };
    const again = () => ada.call('POST /v1/tasks', { body }, { key: 'open-once' });
    const { task } = await again();
    expect(await again()).toMatchObject({ task });
    const input = { path: { task }, body: { goal: 'part', budgets: { money: 6 } } };
    const part = () => ada.call('POST /v1/tasks/{task}/split', input, { key: 'split-once' });
    expect((await part()).task).toBe((await part()).task);
    const cancel = { path: { task }, body: { reason: 'enough' } };
    expect(await ada.call('POST /v1/tasks/{task}/cancel', cancel)).toEqual({ cancelled: 2 });
  });

  test('that are impossible are refused and recorded as attempts', async () => {
    const ada = clientOf('ada');
    const odd: readonly (readonly [number, string])[] = [
      [-1, 'REQUEST_INVALID'],
      [0.5, 'REQUEST_INVALID'],
      [2 ** 53, 'JSON_INVALID'],
    ];
    for (const [money, code] of odd) {
      const call = ada.call('POST /v1/tasks', { body: { goal: 'x', budgets: { money } } });
      await expect(call).rejects.toMatchObject({ code });
    }
    const owned = ada.call('POST /v1/tasks', { body: { goal: 'x', agent: 'person:root' } });
    await expect(owned).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    const about = ada.call('POST /v1/tasks', { body: { goal: 'x', change: true } });
    await expect(about).rejects.toMatchObject({ code: 'SYSTEM_EMPTY' });
    const { entries } = await workspace.client().call('GET /v1/entries', { query: {} });
    const attempts = entries.filter(({ kind }) => kind === 'attempt-refused');
    expect(attempts).toHaveLength(4);
    expect(attempts).toMatchObject(attempts.map(() => ({ actor: 'agent:ada' })));
  });

  test('are listed in pages of at most apiLimits.tasksPageMax', async () => {
    const bob = clientOf('bob');
    const opened: string[] = [];
    for (const goal of ['one', 'two', 'three']) {
      opened.push((await bob.call('POST /v1/tasks', { body: { goal } })).task);
    }
    const listed: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page: { tasks: readonly { task: string }[]; next: string | null } = await bob.call(
        'GET /v1/tasks',
        { query: { after, limit: 2 } },
      );
      listed.push(...page.tasks.map(({ task }) => task));
      after = page.next;
    }
    expect(listed).toEqual(opened);
    const limit = apiLimits.tasksPageMax;
    expect((await bob.call('GET /v1/tasks', { query: { limit } })).tasks).toHaveLength(3);
    await expect(bob.call('GET /v1/tasks', { query: { limit: limit + 1 } })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    for (const task of opened) {
      await bob.call('POST /v1/tasks/{task}/cancel', { path: { task }, body: { reason: 'x' } });
    }
  });

  test('are cancelled by the daemon after their deadline', async () => {
    const ada = clientOf('ada');
    const root = await ada.call('POST /v1/tasks', { body: { goal: 'g', budgets: { money: 10 } } });
    const body = { goal: 'c', budgets: { money: 10 }, expiresInMs: 1 };
    const path = { task: root.task };
    const child = await ada.call('POST /v1/tasks/{task}/split', { path, body });
    await until('it is cancelled', async () => {
      const { status } = await ada.call('GET /v1/tasks/{task}', { path: { task: child.task } });
      return status === 'cancelled';
    });
    const { budgets } = await ada.call('GET /v1/tasks/{task}', { path });
    expect(budgets.money).toMatchObject({ carved: 0, free: 10 });
    await ada.call('POST /v1/tasks/{task}/cancel', { path, body: { reason: 'enough' } });
  });
});

describe('tasks on the command line', () => {
  test('are opened, split, moved, shown with their descendants, and cancelled', async () => {
    const flags = ['--budget', 'money=100', '--budget', 'calls=9', '--phases', 'plan,work'];
    const root = await workspace.run('task', 'open', 'a plan', ...flags, '--minutes', '5');
    expect(root).toMatchObject({
      phases: ['plan', 'work'],
      budgets: { money: { limit: 100 }, calls: { limit: 9 } },
    });
    const task = String(root.task);
    const given = ['--agent', 'bob', '--budget', 'money=30', '--tools', 'order.pay'];
    const child = await workspace.run('task', 'split', task, 'a part', ...given);
    expect(child).toMatchObject({ agent: 'agent:bob', budgets: { calls: { limit: 0 } } });
    expect(await workspace.run('task', 'move', task, 'work')).toMatchObject({ phase: 'work' });
    expect(await workspace.run('task', 'show', task)).toMatchObject({
      goal: 'a plan',
      children: 1,
      below: [{ task: child.task, goal: 'a part' }],
    });
    const { tasks } = (await workspace.run('task', 'list')) as { tasks: { task: string }[] };
    expect(tasks.map((one) => one.task)).toEqual([task, child.task]);
    const early = await workspace.surety('task', 'finish', String(child.task), 'done');
    expect(early).toMatchObject({ code: 1, value: { fault: { code: 'PROPOSAL_DENIED' } } });
    expect(await workspace.run('task', 'cancel', task)).toEqual({ cancelled: 2 });
    const wrong = await workspace.surety('task', 'open', 'x', '--budget', 'money=-5');
    expect(wrong).toMatchObject({ code: 2, value: { fault: { code: 'USAGE' } } });
  });
});

describe('tasks over MCP', () => {
  test('are split and finished by the agents themselves', async () => {
    await using ada = await AgentClient.connect(workspace, 'ada');
    await using bob = await AgentClient.connect(workspace, 'bob');
    const opened = await ada.call('open_task', { goal: 'pay' });
    expect(opened.text).toContain('Next: finish_task');
    const wish = { goal: 'half', agent: 'agent:bob', budgets: { money: 50 } };
    const part = await ada.call('split_task', { task: opened.value.task, ...wish });
    expect(part).toMatchObject({ refused: false, value: { agent: 'agent:bob' } });
    const task = String(part.value.task);
    const early = await bob.call('finish_task', { task, result: 'paid' });
    expect(early).toMatchObject({ refused: true, value: { code: 'PROPOSAL_DENIED' } });
    expect(early.text).toContain('agent:bob may not use finish_task');
    await pay(clientOf('bob'), task, 20);
    const now = await bob.call('get_task', { task });
    expect(now.text).toContain('Budget left: money 30/50.');
    expect(await bob.call('finish_task', { task, result: 'paid' })).toMatchObject({
      refused: false,
      value: { status: 'closed' },
    });
    const test = { task: opened.value.task, path: 't.mjs', code: 'x' };
    expect(await ada.call('submit_test', test)).toMatchObject({
      refused: true,
      value: { code: 'TASK_NOT_A_CHANGE' },
    });
  });
});
