import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import { parseConfig } from '../../system/index.ts';
import type { Host } from '../host/host.ts';
import { Repository } from '../repository.fixture.ts';
import { manifestDigest } from './manifests.ts';
import { Preparation } from './preparation.ts';
import { installsAllMembers, membersOf, workspaceRoot } from './workspace-root.ts';

function write(root: string, files: Readonly<Record<string, unknown>>): void {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(root, file), text);
  }
}

function makeRoot(files: Readonly<Record<string, unknown>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  write(root, files);
  return root;
}

test.each([
  ['workspaces as a list', { 'package.json': { workspaces: ['apps/*'] } }, 'apps/web', '.'],
  [
    'workspaces as a record',
    { 'package.json': { workspaces: { packages: ['./apps/*/'] } } },
    'apps/web',
    '.',
  ],
  [
    'a pnpm workspace',
    { 'pnpm-workspace.yaml': "packages:\n  - 'apps/*'\nx: 1\n" },
    'apps/web',
    '.',
  ],
  [
    'a package that is not a member',
    { 'package.json': { workspaces: ['apps/*'] } },
    'tools/web',
    'tools/web',
  ],
  ['no workspace', { 'package.json': {} }, 'apps/web', 'apps/web'],
  ['an unreadable manifest', { 'package.json': '{' }, 'apps/web', 'apps/web'],
])(
  'finds the directory where the packages of a workspace member are installed: %s',
  (_, files, directory, place) => {
    const root = makeRoot({ ...files, [`${directory}/package.json`]: {} });
    expect(workspaceRoot(join(root, directory), root)).toBe(join(root, place));
  },
);

test('does not look for a workspace root above the repository', () => {
  const root = makeRoot({ 'package.json': { workspaces: ['**'] }, 'a/b/package.json': {} });
  expect(workspaceRoot(join(root, 'a/b'), join(root, 'a/b'))).toBe(join(root, 'a/b'));
});

test('the manifests of the members count for the digest of a workspace', () => {
  const root = makeRoot({
    'package.json': { workspaces: ['apps/*'] },
    'apps/web/package.json': {},
  });
  expect(membersOf(root)).toEqual(['apps/web']);
  const before = manifestDigest(root, root, 'npm install');
  write(root, { 'apps/web/package.json': { dependencies: { express: '5' } } });
  expect(manifestDigest(root, root, 'npm install')).not.toBe(before);
});

test.each([
  ['npm ci', true],
  ['npx --yes pnpm@9.15.9 install --frozen-lockfile', true],
  ['pnpm install --frozen-lockfile', true],
  ['npm ci && npm run generate', false],
  ['pip install -r requirements.txt', false],
])('knows whether %s installs all workspace members at once: %s', (command, expected) => {
  expect(installsAllMembers(command)).toBe(expected);
});

/** Runs steps for real, and nothing else. */
function makeHost(ran: string[]): Host {
  const run: Host['run'] = async ({ command, directory }) => {
    ran.push(directory);
    execFileSync('/bin/sh', ['-c', command], { cwd: directory, stdio: 'ignore' });
    return { failure: null, lines: [] };
  };
  return { run } as Partial<Host> as Host;
}

const lock = {
  name: 'shop',
  lockfileVersion: 3,
  packages: {
    '': { name: 'shop', workspaces: ['web', 'api'] },
    web: { version: '1.0.0' },
    api: { version: '1.0.0' },
    'node_modules/web': { resolved: 'web', link: true },
    'node_modules/api': { resolved: 'api', link: true },
  },
};

test("installs the members of a workspace once, and never into the user's checkout", async () => {
  const services = `services:
  web: { command: node ., port: 4001, directory: web, install: npm ci --offline }
  api: { command: node ., port: 4002, directory: api, install: npm ci --offline }
`;
  using repository = new Repository({
    'surety.yaml': services,
    'package.json': '{"name":"shop","workspaces":["web","api"]}',
    'package-lock.json': JSON.stringify(lock),
    'web/package.json': '{"name":"web","version":"1.0.0"}',
    'api/package.json': '{"name":"api","version":"1.0.0"}',
  });
  write(repository.root, { 'node_modules/mine/index.js': 'mine' });
  const config = parseConfig(services, { path: 'surety.yaml', environment: {} });
  const ran: string[] = [];
  const preparation = new Preparation({
    host: makeHost(ran),
    cache: join(repository.root, '.surety', 'cache'),
    makeIdentifier: (prefix) => `${prefix}_1` as never,
    confinement: unconfined,
    root: repository.root,
  });
  const prepare = async (name: string): Promise<string> => {
    const tree = await repository.trees.open(repository.base, name);
    const each = Object.entries(config.services).map(([service, of]) =>
      preparation.service({ service, config: of, tree }),
    );
    await Promise.all(each);
    return tree.root;
  };
  const [first, second] = [await prepare('first'), await prepare('second')];
  expect(ran).toEqual([first]);
  for (const root of [first, second])
    expect(realpathSync(join(root, 'node_modules/web'))).toBe(join(root, 'web'));
  expect(readdirSync(join(repository.root, 'node_modules'))).toEqual(['mine']);
  expect(readFileSync(join(repository.root, 'node_modules/mine/index.js'), 'utf8')).toBe('mine');
});

test('an install that makes a link of its directory gets nothing that the link leads to', async () => {
  const services = `services:
  web: { command: node ., port: 4001, directory: web, install: sh install.sh }
`;
  using repository = new Repository({
    'surety.yaml': services,
    'web/package.json': '{"name":"web","version":"1.0.0"}',
    'web/install.sh': 'mv ../web ../old && ln -s ../../../.. ../web',
  });
  write(repository.root, { 'node_modules/mine/index.js': 'mine' });
  const config = parseConfig(services, { path: 'surety.yaml', environment: {} });
  const preparation = new Preparation({
    host: makeHost([]),
    cache: join(repository.root, '.surety', 'cache'),
    makeIdentifier: (prefix) => `${prefix}_1` as never,
    confinement: unconfined,
    root: repository.root,
  });
  const tree = await repository.trees.open(repository.base, 'lane');
  const web = config.services.web as NonNullable<(typeof config.services)['web']>;
  const prepared = preparation.service({ service: 'web', config: web, tree, isConfined: true });
  await expect(prepared).rejects.toThrow('its install made a link of web');
  expect(readdirSync(join(repository.root, 'node_modules'))).toEqual(['mine']);
});
