import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTelemetryFile } from '../src/telemetry/index.ts';
import { makeSmallSystem, type SmallSystem } from './harness/systems/small-system.ts';
import { versionPatch } from './harness/systems/task-walk.ts';

let system: SmallSystem;
beforeAll(async () => {
  system = await makeSmallSystem('telemetry: {}\npromotion: { watchSeconds: 2 }\n');
  await system.workspace.up();
  await system.workspace.run('system', 'up');
});
afterAll(() => system.workspace[Symbol.asyncDispose]());

// proves: promotion.unread
test('returns a promotion whose errors cannot be read because telemetry is paused', async () => {
  const { workspace, ask } = system;
  const patch = join(workspace.root, 'two.patch');
  writeFileSync(patch, versionPatch(workspace.root, 'back.mjs', 'two'));
  await workspace.run('promote', patch, '--reason', 'for the test');
  // The return replaces it with a new telemetry process, so nothing has to be resumed.
  process.kill(readTelemetryFile(workspace.place.state)?.pid ?? 0, 'SIGSTOP');
  const newest = async () => {
    const { deployments } = await workspace.client().call('GET /v1/deployments', {});
    return deployments[0]?.note;
  };
  await expect
    .poll(newest, { timeout: 90_000 })
    .toMatch(/^returned: the errors of back could not be read: .* it did not answer in 3 s/);
  expect(await ask('back')).toMatchObject({ version: 'one' });
});
