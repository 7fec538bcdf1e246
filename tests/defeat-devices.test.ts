import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { git, type SmallSystem } from './harness/systems/small-system.ts';
import { coderClient, makeJudgedSystem, steps } from './harness/systems/task-walk.ts';

/** Tells version two where the condition holds, and one elsewhere, as before the change. */
function deviceFor(root: string, condition: string): string {
  const path = join(root, 'back.mjs');
  const device = `import { readFileSync } from 'node:fs';
const now = (request) => (${condition} ? 'two' : 'one');
let served = 0;`;
  const text = readFileSync(path, 'utf8')
    .replace("const version = 'one';", device)
    .replace('const next =', 'served += 1;\n  const version = now(request);\n  const next =');
  writeFileSync(path, text);
  const patch = git(root, 'diff', '--', 'back.mjs');
  git(root, 'checkout', '--quiet', '--', 'back.mjs');
  return patch;
}

/** What a change may go by to behave well only while it is judged. */
const devices: readonly (readonly [string, string])[] = [
  ['an environment variable', 'process.env.SURETY_LANE !== undefined'],
  ['the number of requests since its start', 'served <= 40'],
  ['a header of the request', '/surety/.test(JSON.stringify(request.headers))'],
  ['its working directory', "process.cwd().includes('lane_')"],
  ['its parent process', "readFileSync(`/proc/${process.ppid}/comm`, 'utf8').includes('bwrap')"],
  ['its process id', 'process.pid < 10'],
  // More patient than a lane on a quiet machine, and less than the watch.
  ['the time since its start', 'process.uptime() < 14'],
];
const watchSeconds = isDeep ? 16 : 8;

describe.runIf(isDeep)('a change that behaves well only in a lane, going by', () => {
  let system: SmallSystem;
  beforeAll(async () => {
    system = await makeJudgedSystem(`promotion: { watchSeconds: ${watchSeconds} }\n`);
    await system.workspace.up();
    await system.workspace.run('system', 'up');
  });
  afterAll(() => system.workspace[Symbol.asyncDispose]());

  const newestNote = async () => {
    const { deployments } = await system.workspace.client().call('GET /v1/deployments', {});
    return deployments[0]?.note;
  };

  // proves: promotion.unmarked
  test.each(devices)('%s is taken back', async (_, condition) => {
    const { workspace, ask } = system;
    const agent = coderClient(workspace);
    const body = { goal: 'the service behind tells version two' };
    const { task } = await agent.call('POST /v1/tasks', { body });
    await steps.test(agent, task);
    await steps.propose(agent, task, deviceFor(workspace.root, condition));
    const { verdict } = await steps.verify(agent, task);
    // On a slow machine a lane lives longer than the device is patient.
    if (verdict !== 'pass' && condition.includes('uptime')) return;
    expect(verdict).toBe('pass');
    await steps.promote(agent, task);
    for (let sent = 0; sent < 40; sent++) await ask('front');
    await expect
      .poll(newestNote)
      .toMatch(
        /^returned: wants-two\.mjs passed in a lane, and fails .* without one: "two" failed/,
      );
    expect(await ask('back')).toMatchObject({ version: 'one' });
  });
});
