import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { killAt } from './harness/gate/kill-at.ts';
import type { SmallSystem } from './harness/systems/small-system.ts';
import { coderClient, makeJudgedSystem, steps, versionPatch } from './harness/systems/task-walk.ts';
import type { Workspace } from './harness/workspace.ts';

async function openTask(workspace: Workspace): Promise<string> {
  const body = { goal: 'the service behind tells version two' };
  return (await coderClient(workspace).call('POST /v1/tasks', { body })).task;
}

async function kindsOf(workspace: Workspace): Promise<string[]> {
  const { entries } = await workspace.client().call('GET /v1/entries', { query: { limit: 1_000 } });
  return entries.map(({ kind, body }) => (body.tool ? `${kind} ${body.tool}` : kind));
}

async function expectSound({ workspace, ask }: SmallSystem, version: string): Promise<void> {
  expect(await ask('front')).toMatchObject({ next: { version } });
  expect(await workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  expect((await workspace.run('lane', 'list')).lanes).toEqual([]);
  const trees = readdirSync(workspace.place.trees).filter((name) => !/^[0-9a-f]{40}$/.test(name));
  expect(trees).toEqual([]);
}

describe('a task', () => {
  let system: SmallSystem;
  beforeAll(async () => {
    system = await makeJudgedSystem();
    await system.workspace.up();
    await system.workspace.run('system', 'up');
  });
  afterAll(() => system.workspace[Symbol.asyncDispose]());

  // proves: gate.repairs
  test.runIf(isDeep)(
    'refuses a test that passes or breaks, and holds after three repairs',
    async () => {
      const { workspace } = system;
      const agent = coderClient(workspace);
      const task = await openTask(workspace);
      const submit = (code: string, path = 't.mjs') =>
        agent.call('POST /v1/tasks/{task}/test', { path: { task }, body: { path, code } });
      const passes = "console.log(JSON.stringify({ check: 'a', passed: true }));";
      // follows: TEST_DOES_NOT_FAIL, TEST_BROKEN
      await expect(submit(passes)).rejects.toMatchObject({ code: 'TEST_DOES_NOT_FAIL' });
      await expect(submit('this is no code')).rejects.toMatchObject({ code: 'TEST_BROKEN' });
      await expect(submit(passes, '../escape.mjs')).rejects.toMatchObject({ code: 'TEST_OUTSIDE' });
      await steps.test(agent, task);
      for (const version of ['three', 'four', 'five']) {
        await steps.propose(agent, task, versionPatch(workspace.root, 'back.mjs', version));
        expect(await steps.verify(agent, task)).toMatchObject({ verdict: 'fail' });
      }
      const patch = versionPatch(workspace.root, 'back.mjs', 'two');
      await expect(steps.propose(agent, task, patch)).rejects.toMatchObject({
        remedy: expect.stringContaining('a person has to look'),
      });
      await expectSound(system, 'one');
    },
  );

  // proves: gate.evidence
  test('goes from a denied change through a failing test to its promotion', async () => {
    const { workspace } = system;
    const agent = coderClient(workspace);
    const task = await openTask(workspace);
    const patch = versionPatch(workspace.root, 'back.mjs', 'two');

    await expect(steps.propose(agent, task, patch)).rejects.toMatchObject({
      code: 'PROPOSAL_DENIED',
      message: expect.stringContaining('there is no failing test yet'),
      remedy: expect.stringContaining('test.submit'),
    });
    expect(await steps.test(agent, task)).toMatchObject({ result: 'failed' });
    expect(await steps.propose(agent, task, patch)).toMatchObject({ services: ['back'] });
    await expect(steps.promote(agent, task)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    expect(await steps.verify(agent, task)).toMatchObject({ verdict: 'pass' });
    await expect(steps.verify(agent, task)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    expect(await steps.promote(agent, task)).toMatchObject({ services: ['back'] });
    await expect(steps.promote(agent, task)).rejects.toMatchObject({
      message: expect.stringContaining('the task is finished'),
    });
    await expectSound(system, 'two');
    const kinds = await kindsOf(workspace);
    expect(kinds.filter((kind) => kind === 'change-promoted')).toHaveLength(1);
    // Its end stands in the same step, so that what it has left is not lost with it.
    expect(kinds[kinds.indexOf('change-promoted') + 1]).toBe('task-closed');
    const { tasks } = await agent.call('GET /v1/tasks', { query: {} });
    expect(tasks.map((open) => open.task)).not.toContain(task);
    await workspace.run('system', 'restart', 'back');
    expect(await system.ask('back')).toMatchObject({ version: 'two' });
  });

  test('gives an agent only what the policy allows, whatever it calls', async () => {
    const { workspace } = system;
    const agent = coderClient(workspace);
    await expect(agent.call('POST /v1/system/up', { body: {} })).rejects.toMatchObject({
      code: 'NOT_FOR_AGENTS',
    });
    await expect(agent.call('GET /v1/entries', { query: {} })).rejects.toMatchObject({
      code: 'NOT_FOR_AGENTS',
    });
  });
});

type Step = keyof typeof steps;

/** In which steps of one task the daemon is killed, and at which entries. */
const walks: readonly Readonly<Partial<Record<Step, string>>>[] = [
  {
    test: 'lane-opened',
    propose: 'proposal-granted change.propose',
    verify: 'lane-closed',
    promote: 'service-started',
  },
  {
    test: 'proposal-granted test.submit',
    verify: 'proposal-granted task.verify',
    promote: 'proposal-granted change.promote',
  },
  { verify: 'lane-opened' },
];

// proves: ledger.kill
test.runIf(isDeep).each(walks.map((kills) => ({ kills, at: Object.values(kills).join(', ') })))(
  'a daemon killed at $at continues its task after a restart',
  async ({ kills }) => {
    const system = await makeJudgedSystem();
    await using workspace = system.workspace;
    await workspace.up();
    await workspace.run('system', 'up');
    const task = await openTask(workspace);
    const patch = versionPatch(workspace.root, 'back.mjs', 'two');
    for (const name of ['test', 'propose', 'verify', 'promote'] as const) {
      const call = () => steps[name](coderClient(workspace), task, patch);
      if (kills[name]) await killAt(workspace, kills[name], call);
      // What the crash left open is done again; what it left done is not the task's turn any more.
      await call().catch((error) => {
        if (error.code !== 'PROPOSAL_DENIED') throw error;
      });
    }
    await expectSound(system, 'two');
    const kinds = await kindsOf(workspace);
    for (const once of ['test-proven', 'change-promoted']) {
      expect([once, kinds.filter((kind) => kind === once).length]).toEqual([once, 1]);
    }
    const before = workspace.programs().length;
    await workspace.run('system', 'down');
    expect(workspace.programs().length).toBe(before - 2);
  },
);
