import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { laneLimits } from '../limits.ts';
import { Repository, usualConfig } from '../repository.fixture.ts';
import { changedFiles, changeId, checkChange, prepareChange, prepareLasting } from './change.ts';
import { patchOf } from './change-source.ts';

const repository = new Repository();
const { base } = repository;
afterAll(() => repository[Symbol.dispose]());

const prepare = (patch: string) => prepareChange({ patch, base }, repository.deps);

function newFile(name: string, text: string, mode = '100644'): string {
  const end = text.endsWith('\n') ? '' : '\n\\ No newline at end of file\n';
  return `diff --git a/${name} b/${name}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+${text}${end}`;
}

/** A new file, as large as it takes for the patch to have so many bytes. */
function sizedPatch(bytes: number): string {
  return newFile('n.txt', `${'x'.repeat(bytes - newFile('n.txt', '\n').length)}\n`);
}

function manyFiles(count: number): string {
  const names = Array.from({ length: count }, (_, number) => `front/${number}`);
  return names.map((name) => newFile(name, 'x\n')).join('');
}

describe('a change', () => {
  test('names its services and files, and leaves traces only in git', async () => {
    const patch = repository.patch({
      'back.mjs': 'two\n',
      'front/new.mjs': 'x\n',
      'README.md': 'x\n',
    });
    const { change, tree } = await prepare(patch);
    expect(change).toEqual({
      change: changeId({ patch, base }),
      base,
      files: ['README.md', 'back.mjs', 'front/new.mjs'],
      services: ['front', 'back'],
      kinds: ['code'],
      override: null,
    });
    expect(repository.git('show', `${tree}:back.mjs`)).toBe('two\n');
    expect(repository.git('status', '--short')).toBe('');
    expect(existsSync(join(repository.root, '.surety'))).toBe(false);
  });

  test.each<[string, string, string]>([
    ['is not a patch', 'hello\n', 'CHANGE_INVALID'],
    ['is empty', '', 'CHANGE_INVALID'],
    ['is cut off', newFile('back.mjs', 'x\n').slice(0, -4), 'CHANGE_INVALID'],
    [
      `has more than ${laneLimits.patchBytesMax} bytes`,
      sizedPatch(laneLimits.patchBytesMax + 1),
      'CHANGE_INVALID',
    ],
    [
      `has ${laneLimits.patchBytesMax} bytes but touches no service`,
      sizedPatch(laneLimits.patchBytesMax),
      'CHANGE_TOUCHES_NO_SERVICE',
    ],
    [
      `has more than ${laneLimits.changeFilesMax} files`,
      manyFiles(laneLimits.changeFilesMax + 1),
      'CHANGE_INVALID',
    ],
    [
      'does not apply',
      '--- a/back.mjs\n+++ b/back.mjs\n@@ -1 +1 @@\n-other\n+two\n',
      'CHANGE_DOES_NOT_APPLY',
    ],
    ['creates a file that already exists', newFile('back.mjs', 'x\n'), 'CHANGE_DOES_NOT_APPLY'],
    ['leaves the repository', newFile('../escape.txt', 'x\n'), 'CHANGE_DOES_NOT_APPLY'],
    [
      'leaves the repository by an absolute path',
      '--- /dev/null\n+++ /etc/escape\n@@ -0,0 +1 @@\n+x\n',
      'CHANGE_',
    ],
    ['writes into .git', newFile('.git/hooks/post-checkout', 'x\n', '100755'), 'CHANGE_'],
    ['writes into .GIT of a subfolder', newFile('front/.GIT/config', 'x\n'), 'CHANGE_'],
    ['creates a symbolic link', newFile('front/l', '/etc', '120000'), 'CHANGE_INVALID'],
    [
      'creates a submodule',
      newFile('front/m', `Subproject commit ${'a'.repeat(40)}\n`, '160000'),
      'CHANGE_INVALID',
    ],
    [
      'writes through a symbolic link that it creates',
      newFile('front/l', '/tmp', '120000') + newFile('front/l/x', 'x\n'),
      'CHANGE_',
    ],
    [
      'applies to one file but not to another',
      `${newFile('front/a', 'x\n')}--- a/back.mjs\n+++ b/back.mjs\n@@ -1 +1 @@\n-other\n+two\n`,
      'CHANGE_DOES_NOT_APPLY',
    ],
  ])('that %s is refused', async (_, patch, code) => {
    await expect(prepare(patch)).rejects.toMatchObject({ code: expect.stringContaining(code) });
    expect(repository.git('status', '--short')).toBe('');
    expect(existsSync(join(repository.root, '..', 'escape.txt'))).toBe(false);
    expect(existsSync('/etc/escape')).toBe(false);
  });

  test(`of ${laneLimits.changeFilesMax} files is accepted, and a decision sees all of them`, async () => {
    const patch = manyFiles(laneLimits.changeFilesMax);
    expect((await prepare(patch)).change.files).toHaveLength(laneLimits.changeFilesMax);
    expect(await changedFiles({ patch, base }, repository.trees)).toHaveLength(
      laneLimits.changeFilesMax,
    );
    expect(await changedFiles({ patch: 'hello\n', base }, repository.trees)).toEqual([]);
  });

  test.each<[string, Record<string, string | null>, string]>([
    ['a guard test', { 'tests/guard/money.ts': 'x\n' }, 'tests/guard/money.ts'],
    ['the policy', { 'policy.yaml': 'version: 2\n' }, 'policy.yaml'],
    ['a pipeline', { '.github/workflows/ci.yml': 'x\n' }, '.github/workflows/ci.yml'],
    [
      'the permissions of agents',
      { 'surety.yaml': `${usualConfig}agents: { coder: { tools: ["*"] } }\n` },
      'surety.yaml (agents)',
    ],
    [
      'a file that the policy includes',
      { 'policies/team.yaml': 'version: 1\n' },
      'policies/team.yaml',
    ],
    [
      'the secrets of a service',
      { 'surety.yaml': usualConfig.replace('4002,', '4002, secrets: { A: "env:OTHERS" },') },
      'surety.yaml (secrets)',
    ],
    [
      'secrets in an overlay',
      {
        'surety.yaml': `${usualConfig}overlays: { o: { services: { back: { secrets: { A: "env:B" } } } } }\n`,
      },
      'surety.yaml (secrets)',
    ],
    ['a deleted surety.yaml', { 'surety.yaml': null }, 'surety.yaml'],
    ['a test that it skips', { 'back.test.mjs': "test.skip('a', run);\n" }, 'back.test.mjs (skips'],
  ])('of %s needs the approval of a person', async (_, files, named) => {
    const patch = repository.patch({ 'back.mjs': 'two\n', ...files });
    await expect(prepare(patch)).rejects.toMatchObject({
      code: 'CHANGE_PROTECTED',
      message: expect.stringContaining(named),
    });
    repository.overrides.set(changeId({ patch, base }), 'prop_1');
    expect((await prepare(patch)).change.override).toBe('prop_1');
    // The word was about these bytes.
    const other = repository.patch({ 'back.mjs': 'three\n', ...files });
    await expect(prepare(other)).rejects.toMatchObject({ code: 'CHANGE_PROTECTED' });
  });

  test.each<[string, string]>([
    [
      'without git headers',
      `--- a/back.mjs\n+++ b/back.mjs\n@@ -1 +1 @@\n-one\n+two\n--- a/old.test.mjs\n+++ /dev/null\n@@ -1 +0,0 @@\n-test('a', run);\n`,
    ],
    [
      'with file names in octal escapes',
      `diff --git a/back.mjs b/back.mjs\n--- a/back.mjs\n+++ b/back.mjs\n@@ -1 +1 @@\n-one\n+two\ndiff --git "a/old\\056test.mjs" "b/old\\056test.mjs"\n--- "a/old\\056test.mjs"\n+++ "b/old\\056test.mjs"\n@@ -1 +1 @@\n-test('a', run);\n+test.skip('a', run);\n`,
    ],
  ])('of a test is detected in every form of a patch: %s', async (_, patch) => {
    using tested = new Repository({ 'old.test.mjs': "test('a', run);\n" });
    const seen = prepareChange({ patch, base: tested.base }, tested.deps);
    await expect(seen).rejects.toMatchObject({
      code: 'CHANGE_PROTECTED',
      message: expect.stringContaining('old.test.mjs ('),
    });
  });

  test('of an expected value in a test may be tried by anyone, but needs approval to be promoted', async () => {
    using tested = new Repository({ 'back.test.mjs': "test('a', () => expect(a).toBe(1));\n" });
    const files = { 'back.mjs': 'two\n', 'back.test.mjs': "test('a', () => expect(a).toBe(2));\n" };
    const request = { patch: tested.patch(files), base: tested.base };
    expect((await prepareChange(request, tested.deps)).change.services).toEqual(['back']);
    await expect(checkChange(request, tested.deps)).rejects.toMatchObject({
      code: 'CHANGE_PROTECTED',
      message: expect.stringContaining('back.test.mjs (expects something else'),
    });
    tested.overrides.set(changeId(request), 'prop_1');
    expect((await prepareLasting(request, tested.deps)).change.override).toBe('prop_1');
  });

  test.each<[string, (text: string) => string, string[], string[]]>([
    [
      'variable',
      (text) => text.replace('port: 4002,', 'port: 4002, environment: { A: b },'),
      ['back'],
      ['configuration'],
    ],
    [
      'limit',
      (text) => text.replace('port: 4002,', 'port: 4002, limits: { memoryMb: 64 },'),
      ['back'],
      ['limits'],
    ],
    [
      'overlay',
      (text) => `${text}overlays: { prod: { services: { other: { environment: { A: b } } } } }\n`,
      ['other'],
      ['configuration'],
    ],
    ['ingress', (text) => text.replace('ingress: front', 'ingress: other'), ['other'], ['ingress']],
  ])('of a %s in surety.yaml affects its service', async (_, change, services, kinds) => {
    const text = repository.git('show', 'HEAD:surety.yaml');
    const prepared = await prepare(repository.patch({ 'surety.yaml': change(text) }));
    expect(prepared.change).toMatchObject({ services, kinds });
    expect(prepared.config.protected).toEqual(['tests/guard']);
  });

  test('that only reformats surety.yaml is valid, but no service can run for it', async () => {
    const text = repository.git('show', 'HEAD:surety.yaml');
    const same = { 'surety.yaml': `# Who serves what.\n${text}` };
    const patch = repository.patch(same);
    expect((await prepare(patch)).change).toMatchObject({ services: [], kinds: [] });
    const refusal = { code: 'CHANGE_TOUCHES_NO_SERVICE' };
    await expect(checkChange({ patch, base }, repository.deps)).rejects.toMatchObject(refusal);
    // What else it brings may be anything.
    const more = repository.patch({ ...same, 'README.md': 'x\n' });
    await expect(prepare(more)).rejects.toMatchObject(refusal);
  });

  test("cannot read a service's secret into a plain variable", async () => {
    process.env.SURETY_TEST_SECRET = 'hidden';
    const config = usualConfig.replace('4001,', '4001, secrets: { A: "env:SURETY_TEST_SECRET" },');
    using own = new Repository({ 'surety.yaml': config });
    const patch = own.patch({
      'surety.yaml': config.replace('4002,', '4002, environment: { A: "${SURETY_TEST_SECRET}" },'),
    });
    const refused = prepareChange({ patch, base: own.base }, own.deps);
    await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    delete process.env.SURETY_TEST_SECRET;
  });

  test('runs none of the git hooks that it contains', async () => {
    using own = new Repository();
    own.git('config', 'core.hooksPath', 'front/hooks');
    const hook = 'front/hooks/post-index-change';
    own.write(hook, '#!/bin/sh\ntouch "$(git rev-parse --show-toplevel)/ran"\n');
    chmodSync(join(own.root, hook), 0o755);
    const patch = own.patch({});
    const { tree } = await prepareChange({ patch, base: own.base }, own.deps);
    const { top } = await own.trees.open(await own.trees.commit(tree, own.base, 'x'), 'lane_1');
    expect(existsSync(join(top, hook))).toBe(true);
    expect(existsSync(join(top, 'ran'))).toBe(false);
  });

  test('that breaks surety.yaml is refused with the line of the error', async () => {
    const patch = repository.patch({ 'surety.yaml': 'servces: {}\n' });
    await expect(prepare(patch)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('did you mean "services"?'),
    });
  });
});

describe('the source of a change', () => {
  test('may be a branch, whose patch leaves out newer commits of the base', async () => {
    using own = new Repository();
    own.git('checkout', '--quiet', '-b', 'feature');
    own.write('back.mjs', 'two\n');
    own.commit('on the branch');
    own.git('checkout', '--quiet', 'main');
    own.write('front.mjs', 'newer\n');
    own.commit('on main');
    const now = own.git('rev-parse', 'HEAD').trim();
    const patch = (await patchOf(own.root, now, { ref: 'feature' })) as string;
    const { change, tree } = await prepareChange({ patch, base: now }, own.deps);
    expect(change.files).toEqual(['back.mjs']);
    expect(own.git('show', `${tree}:front.mjs`)).toBe('newer\n');
  });

  test('may be a checkout, with its staged, unstaged, new and deleted files but no ignored ones', async () => {
    using own = new Repository({ 'front/old.mjs': 'x\n' });
    own.write('back.mjs', 'two\n');
    own.write('front.mjs', 'two\n');
    own.git('add', 'front.mjs');
    own.git('rm', '--quiet', 'front/old.mjs');
    own.write('front/new.mjs', 'x\n');
    own.write('ignored', 'x\n');
    mkdirSync(join(own.root, 'front', 'image'));
    writeFileSync(join(own.root, 'front', 'image', 'a.png'), Buffer.from([0, 1, 2, 255, 0]));
    const before = own.git('status', '--short');
    const patch = (await patchOf(own.root, own.base, { worktree: true })) as string;
    const { change, tree } = await prepareChange({ patch, base: own.base }, own.deps);
    expect(change.files).toEqual([
      'back.mjs',
      'front.mjs',
      'front/image/a.png',
      'front/new.mjs',
      'front/old.mjs',
    ]);
    expect(own.git('cat-file', '-s', `${tree}:front/image/a.png`)).toBe('5\n');
    expect(own.git('status', '--short')).toBe(before);
  });

  test.each<[string, object]>([
    ['a missing branch', { ref: 'nope' }],
    ['a branch name that looks like an option', { ref: '--output=/tmp/x' }],
    ['a branch name with a NUL', { ref: '\0' }],
    ['a checkout without changes', { worktree: true }],
    ['a checkout and a patch at once', { worktree: true, patch: 'x' }],
  ])('is refused when it is %s', async (_, source) => {
    await expect(patchOf(repository.root, base, source)).rejects.toMatchObject({
      code: 'CHANGE_INVALID',
    });
  });

  test('may be absent, which gives no change', async () => {
    expect(await patchOf(repository.root, base, {})).toBeUndefined();
  });
});
