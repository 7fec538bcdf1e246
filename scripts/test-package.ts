import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../tests/harness/free-ports.ts';
import { packPackages } from '../tests/harness/packages.ts';
import { say } from './steps.ts';

/**
 * `npm run test:package`: both packages as npm installs them, on the oldest Node that package.json
 * asks for, on 24 and on the newest, also as a user without privileges. Needs the npm registry.
 */
const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const nodes = [engines.node.replace('>=', ''), '24', 'latest'];
const megabytesMax = { surety: 120, '@surety/gate': 25 };
const nobody = 65_534;

/** With the code that each ends with: the change breaks what its suite checks. */
const commands: readonly (readonly [string, number])[] = [
  ['doctor', 0],
  ['up', 0],
  ['system up', 0],
  ['verify --worktree', 1],
  ['query services', 0],
  ['status', 0],
  ['down', 0],
  ['ledger verify', 0],
];

const home = mkdtempSync(join(tmpdir(), 'surety-package-'));
try {
  chmodSync(home, 0o755);
  const { surety, gate } = await packPackages(home);
  const silent = install('nothing', []);
  for (const [name, { tarball }] of Object.entries({ surety, '@surety/gate': gate })) {
    const project = install(name, [tarball]);
    check(`${name} installs without warnings`, project.said === silent.said, project.said);
    const size = megabytes(join(project.folder, 'node_modules'));
    const max = megabytesMax[name as keyof typeof megabytesMax];
    check(`${name} takes ${size.toFixed(0)} MB, at most ${max}`, size <= max);
  }
  for (const version of nodes) {
    const { folder } = install(`node ${version}`, [`node@${version}`]);
    for (const user of users()) await tryOut(join(folder, 'node_modules/node/bin/node'), user);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

interface Project {
  readonly folder: string;
  /** The warnings of npm. */
  readonly said: string;
}

/** An empty project with these packages. */
function install(name: string, specifiers: readonly string[]): Project {
  const folder = join(home, name.replaceAll(/\W+/g, '-'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "allowScripts": {"node": true}}');
  const words = ['install', '--no-fund', '--no-audit', ...specifiers];
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { folder, said: stderr };
}

function megabytes(folder: string): number {
  const files = globSync('**/*', { cwd: folder }).map((path) => lstatSync(join(folder, path)));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1e6;
}

/** Who runs this, and whoever has no privileges. */
function users(): readonly (number | undefined)[] {
  return process.getuid?.() === 0 ? [undefined, nobody] : [undefined];
}

function check(what: string, ok: boolean, otherwise = ''): void {
  say(`${ok ? '✓' : '✗'} ${what}`);
  if (ok) return;
  say(otherwise);
  process.exitCode = 1;
}

/** A system whose change is verified, and a guarded function. */
async function tryOut(node: string, user: number | undefined): Promise<void> {
  const place = mkdtempSync(join(home, 'work-'));
  for (const [name, text] of Object.entries(files(await freePort())))
    writeFileSync(join(place, name), text);
  chmodSync(place, 0o755);
  const owner = user === undefined ? {} : { uid: user, gid: user };
  const own = (path: string): void => {
    if (user !== undefined) chownSync(path, user, user);
  };
  own(place);
  for (const path of globSync('*', { cwd: place })) own(join(place, path));
  const env = { HOME: place, PATH: `${dirname(node)}:${process.env.PATH}` };
  const options = { cwd: place, env, encoding: 'utf8', ...owner } as const;
  const run = (...words: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(words[0] as string, words.slice(1), options);

  const version = run(node, '--version').stdout.trim();
  const who = `Node ${version}${user === undefined ? '' : ', without privileges'}`;
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'first'],
  ])
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], options);
  writeFileSync(join(place, 'web.mjs'), web('goodbye'));
  for (const [command, status] of commands) {
    const program = join(home, 'surety/node_modules/surety/bin/surety.js');
    const ran = run(node, program, ...command.split(' '));
    const ok = ran.status === status && !/warning/i.test(ran.stderr);
    check(`${who}: surety ${command}`, ok, `${ran.status}\n${ran.stdout}${ran.stderr}`);
  }
  for (const name of ['surety', '@surety/gate']) {
    const installed = join(home, name.replaceAll(/\W+/g, '-'), 'node_modules', name);
    writeFileSync(join(place, 'guarded.mjs'), guarded(join(installed, 'dist/index.js')));
    const ran = run(node, 'guarded.mjs');
    check(`${who}: ${name}`, `${ran.stdout}${ran.stderr}` === 'one call', ran.stdout + ran.stderr);
  }
}

function web(greeting: string): string {
  return `import { createServer } from 'node:http';
createServer((_, answer) => answer.end('{"greeting": "${greeting}"}')).listen(process.env.PORT);
`;
}

function files(port: number): Record<string, string> {
  return {
    '.gitignore': '.surety\n.guard\n',
    'web.mjs': web('hello'),
    'suite.mjs': `import { defineSuite } from 'surety/suite';
await defineSuite('greeting', async ({ api, check }) => {
  check('it greets', (await api.get('/')).body.greeting, 'hello');
});
`,
    'surety.yaml': `services:
  web: { command: node web.mjs, port: ${port}, paths: [web.mjs] }
ingress: web
suites:
  greeting: { command: node suite.mjs }
`,
  };
}

function guarded(module: string): string {
  return `import { openGate } from '${module}';
const text = { type: 'object', properties: { text: { type: 'string' } } };
const note = { effect: 'mutating', arguments: text, governance: { key: 'arguments.text' } };
const policy = { version: 1, tools: { note }, agents: { ada: { tools: ['note'] } } };
const gate = await openGate({ directory: '.guard', policy, agent: 'ada' });
let calls = 0;
const add = gate.guard('note', () => ({ calls: ++calls }));
await add({ text: 'a' });
if ((await add({ text: 'a' })).calls === 1) process.stdout.write('one call');
await gate.close();
`;
}
