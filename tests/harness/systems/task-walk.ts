import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../../src/http/index.ts';
import { connectWithToken } from '../../../src/runtime/connect.ts';
import { patient } from '../patient.ts';
import type { Workspace } from '../workspace.ts';
import { git, makeSmallSystem, type SmallSystem } from './small-system.ts';

/** Lets changes of the small system be judged; measured.test.ts shows what measuring adds. */
const more = `suites:
  flow:
    command: node flow.mjs
    measured: false
tests:
  command: node
  measured: false
agents:
  coder:
    tools: [task.open, test.submit, change.propose, task.verify, change.promote]
`;

/** Holds on every version: the front answers, and so does what is behind it. */
const flow = `const headers = JSON.parse(process.env.HEADERS);
const { version, next } = await (await fetch(process.env.BASE_URL, { headers })).json();
console.log(JSON.stringify({ check: 'both answer', passed: !!version && !!next?.version }));
`;

/** Fails until the service behind tells the wanted version. */
export const wantsTwo = `const headers = JSON.parse(process.env.HEADERS);
const { next } = await (await fetch(process.env.BASE_URL, { headers })).json();
const passed = next?.version === 'two';
console.log(JSON.stringify({ check: 'two', passed, expected: 'two', actual: next?.version }));
process.exitCode = passed ? 0 : 1;
`;

/** Unless a test is about it, no suite runs again after a promotion. */
const unwatched = 'promotion: { watchSeconds: 0 }\n';

export async function makeJudgedSystem(config = unwatched): Promise<SmallSystem> {
  const system = await makeSmallSystem(more + config);
  writeFileSync(join(system.workspace.root, 'flow.mjs'), flow);
  git(system.workspace.root, 'add', '--all');
  git(system.workspace.root, 'commit', '--quiet', '--amend', '--no-edit');
  return system;
}

/** A client that is the agent, not the person at the machine. */
export function coderClient({ place }: Workspace): Client {
  const token = readFileSync(join(place.state, 'agents', 'coder.token'), 'utf8').trim();
  return patient(connectWithToken(place, token));
}

/** Changes the version that a service tells, as a patch on what is committed. */
export function versionPatch(root: string, file: string, version: string): string {
  const path = join(root, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace("'one'", `'${version}'`));
  const patch = git(root, 'diff', '--', file);
  git(root, 'checkout', '--quiet', '--', file);
  return patch;
}

/** The steps of a task, each as one call. */
export const steps = {
  test: (client: Client, task: string) =>
    client.call('POST /v1/tasks/{task}/test', {
      path: { task },
      body: { path: 'wants-two.mjs', code: wantsTwo },
    }),
  propose: (client: Client, task: string, patch: string) =>
    client.call('POST /v1/tasks/{task}/change', { path: { task }, body: { patch } }),
  verify: (client: Client, task: string) =>
    client.call('POST /v1/tasks/{task}/verify', { path: { task }, query: {} }),
  promote: (client: Client, task: string) =>
    client.call('POST /v1/tasks/{task}/promote', { path: { task } }),
};
