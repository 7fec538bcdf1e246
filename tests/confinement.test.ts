import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasLandlock } from '../src/confinement/landlock.ts';
import { socketPlace } from '../src/kernel/index.ts';
import { freePort } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { coderClient } from './harness/systems/task-walk.ts';
import { until } from './harness/until.ts';
import { type Up, Workspace } from './harness/workspace.ts';
import { processesWith, programName } from './harness/workspace-processes.ts';

/** Each gives what it got, or the code of the error by which it was refused. */
const attempts = ({ place, root }: Workspace, { pid: daemon, port }: Up, home: string): string => `
import { connect } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
const read = (path) => () => readFileSync(path, 'latin1').length;
const run = (...words) => () => spawnSync(words[0], words.slice(1)).status || 'did';
const tries = {
  token: read(${JSON.stringify(place.tokenFile)}),
  key: read(${JSON.stringify(place.keyFile)}),
  agents: read(${JSON.stringify(join(place.state, 'agents', 'coder.token'))}),
  ledger: read(${JSON.stringify(place.ledgerFile)}),
  ssh: read(${JSON.stringify(join(home, '.ssh', 'id_ed25519'))}),
  untracked: read(${JSON.stringify(join(root, '.env'))}),
  variable: () => { if (!process.env.CLOUD_TOKEN) throw { code: 'UNSET' }; },
  keeper: () => new Promise((resolve, reject) =>
    connect(${JSON.stringify(socketPlace(place.state, 'keeper').path)}, resolve).on('error', reject)),
  api: () => new Promise((resolve, reject) =>
    connect(${port}, '127.0.0.1', () => resolve('in')).on('error', reject)),
  signal: () => process.kill(${daemon}, 0),
  memory: read('/proc/${daemon}/mem'),
  environment: read('/proc/${daemon}/environ'),
  namespace: run('unshare', '--user', 'true'),
  git: run('git', 'config', 'core.fsmonitor', 'touch /tmp/owned'),
  stamps: () => writeFileSync('.surety/planted', ''),
};
export async function attempt() {
  const got = {};
  for (const [name, start] of Object.entries(tries)) {
    try { got[name] = 'got ' + await start(); } catch (error) { got[name] = error.code; }
  }
  return got;
}
`;

const refused = {
  token: 'ENOENT',
  key: 'ENOENT',
  agents: 'ENOENT',
  ledger: 'ENOENT',
  ssh: 'ENOENT',
  untracked: 'ENOENT',
  variable: 'UNSET',
  keeper: 'ENOENT',
  // Where the kernel cannot tell ports, only the token protects the API.
  api: hasLandlock() ? 'EACCES' : 'got in',
  signal: 'ESRCH',
  memory: 'ENOENT',
  environment: 'ENOENT',
  namespace: 'got 1',
  git: 'got 128',
  stamps: 'EROFS',
};

const configuration = (port: number): string => `confine: strict
ingress: app
services:
  app:
    command: node server.mjs
    build: sh build.sh
    port: ${port}
    health: /
    paths: [server.mjs]
    limits: { processes: 64 }
tests: { command: node, measured: false }
agents: { coder: { tools: [task.open, test.submit] } }
`;

/** Notes what another build left in the cache of Go, and whether it could write there itself. */
const build = `cat "$GOCACHE/00/compiled" > built 2>/dev/null || echo nothing > built
(echo compiled > "$GOCACHE/00/compiled") 2>/dev/null && echo wrote >> built || echo refused >> built
`;

const server = `import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { attempt } from './attempts.mjs';
const version = 1;
const stay = 'while :; do sleep 1; done';
createServer(async (request, response) => {
  if (request.url === '/built') return response.end(readFileSync('built'));
  if (request.url === '/attempts') return response.end(JSON.stringify(await attempt()));
  const words = ['-i', 'setsid', 'sh', '-c', 'cd /; ' + stay, 'left-' + process.env.SURETY_LANE];
  if (request.url === '/leave') spawn('env', words, { detached: true, stdio: 'ignore' }).unref();
  for (let each = 0; request.url === '/fork' && each < 200; each++)
    spawn('sleep', ['100']).on('error', () => undefined);
  response.end(String(version));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** What only shows the wanted check when everything was refused. */
const submitted = `import { attempt } from './attempts.mjs';
for (const [name, got] of Object.entries(await attempt()))
  console.log(JSON.stringify({ check: name, passed: false, actual: got }));
`;

describe('on a system that confines its baseline as well', () => {
  let workspace: Workspace;
  let home: string;
  let port: number;
  let lane: string;
  let address: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'surety-home-'));
    mkdirSync(join(home, '.ssh'));
    writeFileSync(join(home, '.ssh', 'id_ed25519'), 'private');
    vi.stubEnv('HOME', home);
    vi.stubEnv('CLOUD_TOKEN', 'cloud-token');
    port = await freePort();
    workspace = new Workspace({ config: configuration(port) });
    const up = await workspace.up();
    const { root } = workspace;
    writeFileSync(join(root, '.gitignore'), '.surety/\n.env\n');
    writeFileSync(join(root, '.env'), 'password');
    writeFileSync(join(root, 'attempts.mjs'), attempts(workspace, up, home));
    writeFileSync(join(root, 'server.mjs'), server);
    writeFileSync(join(root, 'build.sh'), build);
    git(root, 'init', '--quiet', '--initial-branch=main');
    commit(root, 'first');
    await workspace.run('system', 'up');
    writeFileSync(join(root, 'server.mjs'), server.replace('version = 1', 'version = 2'));
    const patch = git(root, 'diff');
    git(root, 'checkout', '--quiet', '--', '.');
    const opened = await workspace.client().call('POST /v1/lanes', { body: { patch } });
    lane = opened.lane.lane;
    address = opened.address;
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await workspace[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  });

  const ask = async (path: string): Promise<string> => {
    const headers = { baggage: `surety-lane=${lane}` };
    return (await fetch(new URL(path, address), { headers })).text();
  };

  test('a build of a change reads what the baseline compiled, and cannot add to it', async () => {
    const baseline = await fetch(`http://127.0.0.1:${port}/built`);
    expect(await baseline.text()).toBe('nothing\nwrote\n');
    expect(await ask('/built')).toBe('compiled\nrefused\n');
  });

  // proves: lanes.confined
  test('a candidate is refused whatever it tries to get of the owner', async () => {
    expect(await ask('/')).toBe('2');
    expect(JSON.parse(await ask('/attempts'))).toEqual(refused);
  });

  test('a service of the baseline is refused the same', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/attempts`);
    expect(await response.json()).toEqual(refused);
  });

  // proves: lanes.confined
  test('a test that an agent submits is refused the same', async () => {
    const agent = coderClient(workspace);
    const { task } = await agent.call('POST /v1/tasks', { body: { goal: 'get out' } });
    const body = { path: 'submitted.mjs', code: submitted };
    const { checks } = await agent.call('POST /v1/tasks/{task}/test', { path: { task }, body });
    expect(Object.fromEntries(checks.map(({ check, actual }) => [check, actual]))).toEqual(refused);
  });

  test('a command in a lane is refused what belongs to Surety', async () => {
    const read = (path: string) => workspace.surety('lane', 'exec', lane, `cat ${path}`);
    expect((await read(workspace.place.tokenFile)).value).toEqual({ code: 1 });
    expect((await read(join(home, '.ssh', 'id_ed25519'))).value).toEqual({ code: 1 });
    expect((await read(join(workspace.root, 'server.mjs'))).value).toEqual({ code: 0 });
  });

  test('a process that hides from every mark ends with its lane', async () => {
    const left = () => processesWith(`left-${lane}`);
    await ask('/leave');
    await until('it runs', () => left().length > 0);
    await workspace.run('lane', 'close', lane);
    await until('it is gone', () => left().length === 0);
  });

  test('a candidate that forks beyond its bound takes nobody with it', async () => {
    const { root } = workspace;
    writeFileSync(join(root, 'server.mjs'), server.replace('version = 1', 'version = 3'));
    const patch = git(root, 'diff');
    git(root, 'checkout', '--quiet', '--', '.');
    const opened = await workspace.client().call('POST /v1/lanes', { body: { patch } });
    lane = opened.lane.lane;
    await ask('/fork').catch(() => undefined);
    const sleeping = () => workspace.processes().filter((pid) => programName(pid) === 'sleep');
    await until('they are refused or ended', () => sleeping().length < 64);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('1');
    await workspace.run('lane', 'close', lane);
    await until('none is left', () => sleeping().length === 0);
  });
});
