import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { until } from '../../tests/harness/until.ts';
import { processesWith } from '../../tests/harness/workspace-processes.ts';
import { endGroup } from '../kernel/index.ts';
import { tryBubblewrap } from './bubblewrap.ts';
import { Confinement, formatConfinement } from './confinement.ts';
import { hasLandlock, portsIn, tryLandlock } from './landlock.ts';
import { confinementLimits } from './limits.ts';
import { seccompFilter } from './seccomp.ts';

const given = { read: [] as string[], environment: ['ALLOWED'], connect: [] as number[] };
let root: string;
let state: string;
let tree: string;
/** A process of the owner. */
let owned: ChildProcess;
const keeper = createServer((socket) => socket.end());

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'surety-confinement-'));
  state = join(root, '.surety');
  tree = join(state, 'trees', 'lane_1');
  mkdirSync(tree, { recursive: true });
  mkdirSync(join(state, 'keys'));
  mkdirSync(join(root, 'home', '.ssh'), { recursive: true });
  writeFileSync(join(state, 'token'), 'owner-token');
  writeFileSync(join(state, 'keys', 'signing.pem'), 'signing-key');
  writeFileSync(join(root, 'home', '.ssh', 'id_ed25519'), 'ssh-key');
  writeFileSync(join(root, '.env'), 'database-password');
  keeper.listen(join(state, 'keeper.sock'));
  await once(keeper, 'listening');
  owned = spawn('sleep', ['1000'], { stdio: 'ignore', env: { ...process.env, OWNED: 'a-secret' } });
  vi.stubEnv('HOME', join(root, 'home'));
  vi.stubEnv('CLOUD_TOKEN', 'cloud-token');
  vi.stubEnv('ALLOWED', 'declared');
});
afterAll(() => {
  vi.unstubAllEnvs();
  owned.kill('SIGKILL');
  keeper.close();
  rmSync(root, { recursive: true, force: true });
});

const confinementOf = (
  level: 'strict' | 'standard' | 'off',
  more: Partial<typeof given> = {},
): Confinement =>
  new Confinement({ ...given, ...more, level, state, shared: [join(state, 'cache', 'installs')] });

function start(confinement: Confinement, script: string, more: object): ChildProcess {
  const environment = { ...confinement.inherited(), ...more };
  const view = { script, directory: tree, writable: [tree], readable: [], environment };
  const [program = '', ...words] = confinement.command({ ...view, endsWithParent: true });
  return spawn(program, words, {
    cwd: tree,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** Everything that it printed, and its exit code. */
async function run(confinement: Confinement, script: string, more = {}): Promise<string> {
  const child = start(confinement, script, more);
  const printed = Promise.all([text(child.stdout as never), text(child.stderr as never)]);
  const [code] = await once(child, 'exit');
  endGroup(child.pid);
  return `${(await printed).join('').trim()} (${code})`;
}

/** What a program tries, and what it gets where nothing confines it. */
const attempts: readonly (readonly [string, () => string, RegExp])[] = [
  ["the owner's token", () => `cat ${state}/token`, /^owner-token \(0\)$/],
  ['the signing key', () => `cat ${state}/keys/signing.pem`, /^signing-key \(0\)$/],
  ["the owner's SSH key", () => 'cat ~/.ssh/id_ed25519', /^ssh-key \(0\)$/],
  ['an untracked file of the checkout', () => `cat ${root}/.env`, /^database-password \(0\)$/],
  ['a variable of the shell', () => 'test -n "$CLOUD_TOKEN" && echo has', /^has \(0\)$/],
  [
    "the keeper's socket",
    () => `node -e "require('net').connect('${state}/keeper.sock', () => console.log('in'))"`,
    /^in \(0\)$/,
  ],
  ["an owner's process, to signal it", () => `kill -0 ${owned.pid} && echo can`, /^can \(0\)$/],
  [
    "an owner's process, to read its environment",
    () => `tr '\\0' '\\n' < /proc/${owned.pid}/environ | grep OWNED`,
    /^OWNED=a-secret \(0\)$/,
  ],
  ['its own state directory, to write it', () => 'echo x > ../planted && echo did', /^did \(0\)$/],
  ['a user namespace', () => 'unshare --user echo got', /^got \(0\)$/],
  [
    'a file beyond the bound of its disk',
    () => `truncate -s ${confinementLimits.confinedDiskMb + 1}M large && echo did; rm -f large`,
    /^did \(0\)$/,
  ],
];

describe('a program that nobody trusts', () => {
  test.each(attempts)('does not get %s', async (_, script, got) => {
    expect(await run(confinementOf('off'), script())).toMatch(got);
    expect(await run(confinementOf('standard'), script())).not.toMatch(got);
  });

  test('writes nothing outside of its own version', async () => {
    const outside = join(root, 'outside');
    await run(confinementOf('standard'), `echo x > ${outside}`);
    expect(existsSync(outside)).toBe(false);
    await run(confinementOf('off'), `echo x > ${outside}`);
    expect(existsSync(outside)).toBe(true);
  });

  test('works in its own version, with programs of the machine and declared variables', async () => {
    const script = 'echo x > own && node -p "process.env.ALLOWED + process.cwd()"';
    expect(await run(confinementOf('standard'), script)).toBe(`declared${tree} (0)`);
  });

  test('reads what the owner shows, and cannot write there', async () => {
    const shown = confinementOf('standard', { read: [join(root, '.env')] });
    expect(await run(shown, `cat ${root}/.env`)).toBe('database-password (0)');
    expect(await run(shown, `echo x > ${root}/.env`)).toContain('Read-only');
  });

  test('does not get the home by way of a PATH, a link or a directory that has it', async () => {
    const home = join(root, 'home');
    vi.stubEnv('PATH', `${home}:${root}:${process.env.PATH}`);
    const confinement = confinementOf('standard');
    const environment = confinement.inherited();
    const view = { directory: tree, writable: [tree, home], readable: [home, root], environment };
    const [program = '', ...words] = confinement.command({ ...view, script: 'ls -A ~/.ssh' });
    vi.stubEnv('PATH', environment.PATH?.slice(home.length + root.length + 2));
    const { status, stderr } = spawnSync(program, words, { env: environment, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('No such file')]);
  });

  test('does not get the state directory when the owner shows a directory around it', async () => {
    const shown = confinementOf('standard', { read: [root] });
    expect(await run(shown, `cat ${root}/.env && cat ${state}/token`)).toContain('No such file');
  });

  test.each([
    [`${confinementLimits.confinedDescriptors} descriptors`, 'ulimit -n'],
    [`${confinementLimits.confinedProcesses} processes`, 'ulimit -u 2>/dev/null || ulimit -p'],
  ])('is given %s', async (bound, script) => {
    expect(await run(confinementOf('standard'), script)).toBe(`${bound.split(' ')[0]} (0)`);
  });

  test(`writes files of ${confinementLimits.confinedDiskMb} MB, and no larger ones`, async () => {
    const make = (megabytes: number): string =>
      `truncate -s ${megabytes}M file && echo did; rm -f file`;
    const confinement = confinementOf('standard');
    expect(await run(confinement, make(confinementLimits.confinedDiskMb))).toContain('did');
    expect(await run(confinement, make(confinementLimits.confinedDiskMb + 1))).not.toContain('did');
  });

  test(`has ${confinementLimits.confinedTemporaryMb} MB in each temporary directory`, async () => {
    const sizes = await run(
      confinementOf('standard'),
      'df --output=size -BM /tmp /dev/shm ~ | tail -n +2 | tr -d " M\\n"',
    );
    expect(sizes).toBe(`${String(confinementLimits.confinedTemporaryMb).repeat(3)} (0)`);
  });

  test.each([
    ['off', 1],
    ['standard', 0],
  ] as const)('with %s leaves %i processes behind that left its group', async (level, left) => {
    const mark = `surety-left-${level}-${process.pid}`;
    const script = `setsid sh -c 'while :; do sleep 0.1; done' ${mark} > /dev/null 2>&1 & sleep 0.2`;
    await run(confinementOf(level), script);
    const found = () => processesWith(mark);
    if (left === 0) await until('none is left', () => found().length === 0);
    const pids = found();
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    expect(pids).toHaveLength(left);
  });

  test('has a filter of system calls on the processors that we know', async () => {
    expect(['x64', 'arm64'].map((processor) => seccompFilter(processor)?.length)).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
    expect(seccompFilter('s390x')).toBeUndefined();
    const status = await run(
      confinementOf('standard'),
      'grep -E "Seccomp:|NoNewPrivs" /proc/self/status',
    );
    expect(status.replace(/\s+/g, ' ')).toBe('NoNewPrivs: 1 Seccomp: 2 (0)');
  });
});

describe('at the level strict, a program', () => {
  const servers = [1, 2, 3].map(() => createServer((socket) => socket.end()));
  let ports: number[];
  beforeAll(async () => {
    for (const server of servers) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    ports = servers.map((server) => (server.address() as AddressInfo).port);
  });
  afterAll(() => void servers.map((server) => server.close()));

  test.runIf(hasLandlock())('connects to declared ports only', async () => {
    const [given, allowed, other] = ports as [number, number, number];
    const connecting = (port: number): string =>
      `node -e "require('net').connect(${port}, '127.0.0.1', () => console.log('in')).on('error', ({ code }) => console.log(code))"`;
    const variables = { STORE_URL: `redis://127.0.0.1:${given}/` };
    const attempt = (level: 'strict' | 'standard', port: number): Promise<string> =>
      run(confinementOf(level, { connect: [allowed] }), connecting(port), variables);
    expect(await attempt('strict', given)).toBe('in (0)');
    expect(await attempt('strict', allowed)).toBe('in (0)');
    expect(await attempt('strict', other)).toBe('EACCES (0)');
    expect(await attempt('standard', other)).toBe('in (0)');
  });

  test('is reported to reach all ports where the machine cannot tell ports', () => {
    const of = (landlock: boolean) =>
      new Confinement({
        ...given,
        level: 'strict',
        state,
        shared: [state],
        landlock: () => landlock,
      });
    expect(of(true).facts().by).toMatch(/^bubblewrap \S+ and Landlock$/);
    expect(of(false).facts().by).toMatch(/^bubblewrap \S+$/);
    expect(tryLandlock('/nonesuch')).toBe(false);
  });

  test('has the ports of its addresses', () => {
    const environment = {
      PORT: '4001',
      NEXT_URL: 'http://127.0.0.1:4002/a:b',
      DB: 'postgres://a:secret@db/x',
      HOSTS: 'pricing:*=127.0.0.1:4003,[::1]:4004',
      TIME: '2026-01-01',
    };
    expect(portsIn(environment)).toEqual([80, 4001, 4002, 4003, 4004, 5432]);
  });
});

describe('a machine that cannot confine', () => {
  const missing = () => ({ reason: 'bubblewrap (bwrap) is not installed' });
  const without = (level: 'standard' | 'strict' | 'off'): Confinement =>
    new Confinement({ ...given, level, state, shared: [state], bubblewrap: missing });

  test('refuses the changes of agents, with a remedy', () => {
    expect(() => without('standard').check('agent:coder')).toThrow('is not installed');
    const remedy = expect.stringMatching(/apt-get install bubblewrap.*confine: off/);
    expect(() => without('standard').check('agent:coder')).toThrow(
      expect.objectContaining({ code: 'CONFINEMENT_UNAVAILABLE', remedy }),
    );
  });

  test('runs what a person changed, and says so in the verdict', () => {
    const confinement = without('standard');
    confinement.check('person:ann');
    expect(confinement.inherited()).toHaveProperty('CLOUD_TOKEN');
    expect(formatConfinement(confinement.facts())).toMatch(/^none, because bubblewrap/);
  });

  test('runs nothing at the level strict, and everything at off', () => {
    const program = { script: '', directory: '/', writable: [], readable: [], environment: {} };
    expect(() => without('strict').check('person:ann')).toThrow();
    expect(() => without('strict').command(program)).toThrow('is not installed');
    without('off').check('agent:coder');
    expect(formatConfinement(without('off').facts())).toBe('off');
  });

  test('is recognised by a trial', () => {
    expect(tryBubblewrap('/nonesuch')).toEqual(missing());
    expect(tryBubblewrap('/bin/false').reason).toMatch(/^bubblewrap is refused/);
    expect(tryBubblewrap('bwrap').program).toBe('bwrap');
  });
});
