import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTelemetryFile } from '../src/telemetry/index.ts';
import { isDeep } from './harness/deep.ts';
import type { SmallSystem } from './harness/systems/small-system.ts';
import { coderClient, makeJudgedSystem, steps, versionPatch } from './harness/systems/task-walk.ts';

let system: SmallSystem;
beforeAll(async () => {
  system = await makeJudgedSystem('telemetry: {}\npromotion: { watchSeconds: 5 }\n');
  await system.workspace.up();
  await system.workspace.run('system', 'up');
});
afterAll(() => system.workspace[Symbol.asyncDispose]());

test.runIf(isDeep)(
  'keeps a promotion whose suites pass and whose requests telemetry reports',
  async () => {
    const { workspace, ask } = system;
    await ask('front');
    const agent = coderClient(workspace);
    const body = { goal: 'the service behind tells version two' };
    const { task } = await agent.call('POST /v1/tasks', { body });
    await steps.test(agent, task);
    await steps.propose(agent, task, versionPatch(workspace.root, 'back.mjs', 'two'));
    expect(await steps.verify(agent, task)).toMatchObject({ verdict: 'pass' });
    await steps.promote(agent, task);
    const results = async () => {
      const query = { limit: 1_000 };
      const { entries } = await workspace.client().call('GET /v1/entries', { query });
      return entries.filter(({ kind }) => /^promotion-(?:kept|returned)$/.test(kind));
    };
    const some = { requests: expect.toSatisfy((count) => count > 0), errors: 0 };
    await expect
      .poll(results)
      .toMatchObject([{ kind: 'promotion-kept', body: { shares: { before: some, since: some } } }]);
  },
);

// proves: promotion.unread
test.runIf(isDeep)(
  'returns a promotion whose errors cannot be read because telemetry is paused',
  async () => {
    const { workspace, ask } = system;
    const patch = join(workspace.root, 'three.patch');
    writeFileSync(patch, versionPatch(workspace.root, 'front.mjs', 'three'));
    await workspace.run('promote', patch, '--reason', 'for the test');
    // The return replaces it with a new telemetry process, so nothing has to be resumed.
    process.kill(readTelemetryFile(workspace.place.state)?.pid ?? 0, 'SIGSTOP');
    const newest = async () => {
      const { deployments } = await workspace.client().call('GET /v1/deployments', {});
      return deployments[0]?.note;
    };
    await expect
      .poll(newest)
      .toMatch(/^returned: the errors of front could not be read: .* it did not answer in 3 s/);
    expect(await ask('front')).toMatchObject({ version: 'one' });
  },
);
