import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { git, type SmallSystem } from './harness/systems/small-system.ts';
import { coderClient, makeJudgedSystem, steps, versionPatch } from './harness/systems/task-walk.ts';

/** A version that is well until the file is there. */
function crashingPatch(root: string, file: string): string {
  const code = `
import { existsSync } from 'node:fs';
const ends = () => existsSync(${JSON.stringify(file)}) && process.exit(1);
if (process.env.NAME === 'back') setInterval(ends, 20);
`;
  appendFileSync(join(root, 'back.mjs'), code);
  const patch = git(root, 'diff', '--', 'back.mjs');
  git(root, 'checkout', '--quiet', '--', 'back.mjs');
  return patch;
}

describe('a promotion', () => {
  let system: SmallSystem;
  beforeAll(async () => {
    system = await makeJudgedSystem('promotion: { watchSeconds: 60 }\n');
    await system.workspace.up();
    await system.workspace.run('system', 'up');
  });
  afterAll(() => system.workspace[Symbol.asyncDispose]());

  const promotePatch = async (name: string, patch: string) => {
    const file = join(system.workspace.root, name);
    writeFileSync(file, patch);
    await system.workspace.run('promote', file, '--reason', 'for the test');
  };

  // proves: promotion.person
  test('by a person rests on the fresh pass of exactly that change, and can be rolled back', async () => {
    const { workspace, ask } = system;
    const file = join(workspace.root, 'four.patch');
    writeFileSync(file, versionPatch(workspace.root, 'front.mjs', 'four'));
    const unproven = workspace.run('promote', file);
    // follows: PROMOTION_UNPROVEN
    await expect(unproven).rejects.toThrow('PROMOTION_UNPROVEN');

    const { id, verdict, ...verified } = await workspace.run('verify', file);
    expect(verdict).toBe('pass');
    const change = String(verified.change);
    const { verdicts } = await workspace.run('verdict', 'list', '--limit', '1');
    expect(verdicts).toMatchObject([{ id, change, verdict, services: ['front'] }]);
    const promoted = await workspace.run('promote', '--change', change);
    expect(promoted).toMatchObject({ change, verdict: id, services: ['front'] });
    expect(await ask('front')).toMatchObject({ version: 'four' });

    const rolledBack = await workspace.run('rollback', '--reason', 'for the test');
    expect(rolledBack).toMatchObject({ commit: promoted.commit, services: ['front'] });
    expect(await ask('front')).toMatchObject({ version: 'one' });
    const again = workspace.run('promote', '--change', change);
    await expect(again).resolves.toMatchObject({ verdict: id });
    await workspace.run('rollback', '--reason', 'for the test');
  });

  // proves: promotion.base
  test.runIf(isDeep)(
    'of a change that was verified on another version is verified again',
    async () => {
      const { workspace, ask } = system;
      const agent = coderClient(workspace);
      const body = { goal: 'the service behind tells version two' };
      const { task } = await agent.call('POST /v1/tasks', { body });
      await steps.test(agent, task);
      await steps.propose(agent, task, versionPatch(workspace.root, 'back.mjs', 'two'));
      expect(await steps.verify(agent, task)).toMatchObject({ verdict: 'pass' });

      await promotePatch('three.patch', versionPatch(workspace.root, 'front.mjs', 'three'));
      // follows: BASE_MOVED
      await expect(steps.promote(agent, task)).rejects.toMatchObject({ code: 'BASE_MOVED' });
      expect(await ask('front')).toMatchObject({ version: 'three', next: { version: 'one' } });
      await expect(steps.promote(agent, task)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
      expect(await steps.verify(agent, task)).toMatchObject({ verdict: 'pass' });
      await steps.promote(agent, task);
      expect(await ask('front')).toMatchObject({ version: 'three', next: { version: 'two' } });
    },
  );

  // proves: promotion.return
  test('that makes a service crash is rolled back automatically, with the reason in the ledger', async () => {
    const { workspace, ask } = system;
    const client = workspace.client();
    const crash = join(workspace.place.state, 'crash');
    const before = await ask('back');
    await promotePatch('crash.patch', crashingPatch(workspace.root, crash));
    writeFileSync(crash, '');
    const newest = async () => (await client.call('GET /v1/deployments', {})).deployments[0];
    await expect
      .poll(newest)
      .toMatchObject({ service: 'back', note: expect.stringMatching(/^returned: back /) });
    await expect.poll(() => ask('back').catch(() => null)).toEqual(before);
    expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
    expect(git(workspace.root, 'show', 'surety/baseline:back.mjs')).not.toContain('process.exit');
  });
});
