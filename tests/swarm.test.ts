import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentClient } from './harness/mcp/agent-client.ts';
import { suretyCommand } from './harness/programs.ts';
import { Workspace } from './harness/workspace.ts';

const policy = `version: 1
tools:
  schema.migrate:
    effect: mutating
    arguments: {type: object, properties: {}}
    run: {command: [node, migrate.mjs]}
    governance: {concurrency: {lock: '"staging"', held: true}}
agents:
  lead: {tools: [task.*, lock.*, schema.*]}
  coder: {tools: [task.finish, lock.*, schema.*]}
  grader: {tools: [task.grade]}
`;

let workspace: Workspace;

beforeAll(async () => {
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  writeFileSync(join(workspace.root, 'policy.yaml'), policy);
  writeFileSync(join(workspace.root, 'migrate.mjs'), 'process.stdout.write("{}");');
  await workspace.up();
});
afterAll(async () => {
  expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  await workspace[Symbol.asyncDispose]();
});

describe('agents over MCP', () => {
  // proves: task.swarm
  test('join child tasks whose results another agent graded, and a person sees the tree', async () => {
    const [lead, coder, grader] = await Promise.all(
      ['lead', 'coder', 'grader'].map((agent) => AgentClient.connect(workspace, agent)),
    );
    if (!lead || !coder || !grader) throw new Error('not connected');
    const root = await taskOf(lead.call('open_task', { goal: 'ship it' }));
    const wish = { task: root, agent: 'agent:coder' };
    const first = await taskOf(lead.call('split_task', { ...wish, goal: 'one way' }));
    const second = await taskOf(lead.call('split_task', { ...wish, goal: 'another way' }));
    const opened = await lead.call('join_tasks', {
      ...{ task: root, mode: 'quorum', count: 1, graded: true, waitMs: 0 },
    });
    expect(opened.value).toMatchObject({ state: 'waiting', needed: 1 });
    await coder.call('finish_task', { task: first, result: 'done' });
    await coder.call('finish_task', { task: second, result: 'better' });
    const refusal = { task: first, accepted: false, reason: 'it does not work' };
    await grader.call('grade_task', refusal);
    const own = await coder.call('grade_task', { ...refusal, task: second, accepted: true });
    expect(own.text).toContain('agent:coder');
    const waiting = lead.call('wait_for_join', { join: opened.value.join, waitMs: 20_000 });
    await grader.call('grade_task', { task: second, accepted: true, reason: 'it works' });
    expect((await waiting).value).toMatchObject({
      state: 'met',
      children: [
        { task: first, state: 'failed', grader: 'agent:grader' },
        { task: second, state: 'counted', result: 'better' },
      ],
    });
    const stdout = await printed('task', 'tree', root);
    expect(stdout).toContain('join quorum 1 of 2  met');
    expect(stdout).toMatch(
      /├── task_\w+ {2}closed.+refused by agent:grader.+└── task_\w+ {2}closed/s,
    );
  });
});

describe('an agent that is stopped past the lease of its lock', () => {
  test('cannot write any more when it goes on', async () => {
    const [lead, coder] = await Promise.all(
      ['lead', 'coder'].map((agent) => AgentClient.connect(workspace, agent)),
    );
    if (!lead || !coder) throw new Error('not connected');
    const migrate = (fence: unknown) => ({
      ...{ tool: 'schema.migrate', arguments: {}, fences: { staging: fence } },
    });
    const held = await coder.call('acquire_lock', { lock: 'staging', leaseMs: 2_000 });
    expect(held.value).toMatchObject({ state: 'held' });
    expect((await coder.call('propose', migrate(held.value.fence))).refused).toBe(false);
    coder.signal('SIGSTOP');
    const late = coder.call('propose', migrate(held.value.fence));
    const next = await lead.call('acquire_lock', { lock: 'staging', waitMs: 0 });
    expect(next.value).toMatchObject({ state: 'waiting', position: 1, heldBy: ['agent:coder'] });
    const { ticket } = next.value;
    const taken = await lead.call('wait_for_lock', { lock: 'staging', ticket, waitMs: 20_000 });
    expect(taken.value).toMatchObject({ state: 'held' });
    coder.signal('SIGCONT');
    const { refused, text: why } = await late;
    expect(refused).toBe(true);
    expect(why).toContain('has expired or has a new owner');
    expect((await lead.call('propose', migrate(taken.value.fence))).refused).toBe(false);
    const check = ['lock', 'check', 'staging', String(held.value.fence)];
    expect(await workspace.surety(...check)).toMatchObject({
      value: { fault: { code: 'LEASE_LOST' } },
    });
  });
});

describe('a request that waits for a lock', () => {
  test('gives its place up when its connection closes', async () => {
    const client = workspace.client();
    const body = { lock: 'build', queueMs: 600_000 };
    const lead = await AgentClient.connect(workspace, 'lead');
    await lead.call('acquire_lock', { lock: 'build' });
    const connection = new AbortController();
    const { signal } = connection;
    const input = { query: { waitMs: 20_000 }, body };
    const waiting = client.call('POST /v1/locks/acquire', input, { signal }).catch(() => 'closed');
    const queue = async () => (await client.call('GET /v1/locks', {})).locks[0]?.queue.length;
    await expect.poll(queue, { timeout: 20_000 }).toBe(1);
    connection.abort();
    expect(await waiting).toBe('closed');
    await expect.poll(queue, { timeout: 20_000 }).toBe(0);
  });
});

/** What a command prints for people. */
async function printed(...words: string[]): Promise<string> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const said = text(streams.stdout);
  const code = await suretyCommand([...words, '--directory', workspace.root], streams);
  for (const stream of Object.values(streams)) stream.end();
  expect(code).toBe(0);
  return said;
}

async function taskOf(answer: Promise<{ value: Record<string, unknown> }>): Promise<string> {
  return String((await answer).value.task);
}
