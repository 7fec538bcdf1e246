import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../kernel/index.ts';
import { InstallCache } from './install-cache.ts';
import { manifestDigest } from './manifests.ts';

function makeScene() {
  const root = mkdtempSync(join(tmpdir(), 'install-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const cache = new InstallCache(join(root, 'cache'));
  let installs = 0;
  const version = (name: string): string => {
    const directory = join(root, name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), '{"name":"shop"}');
    return directory;
  };
  const provide = (directory: string, digest = 'd1', change: string | null = null) =>
    cache.provide({
      directory,
      digest,
      change,
      run: async () => {
        installs++;
        mkdirSync(join(directory, 'node_modules', 'left-pad'), { recursive: true });
        writeFileSync(join(directory, 'node_modules', 'left-pad', 'index.js'), `${installs}`);
      },
    });
  const installed = (directory: string): string =>
    readFileSync(join(directory, 'node_modules', 'left-pad', 'index.js'), 'utf8');
  return { root, version, provide, installed, count: () => installs };
}

describe('an install', () => {
  // proves: lanes.confined
  test('gives each version its own copy of packages with links between them', async () => {
    const { root, version, installed } = makeScene();
    const cache = new InstallCache(join(root, 'linked'));
    const provide = (directory: string) =>
      cache.provide({
        directory,
        digest: 'd1',
        change: null,
        run: async () => {
          mkdirSync(join(directory, 'node_modules', 'left-pad'), { recursive: true });
          writeFileSync(join(directory, 'node_modules', 'left-pad', 'index.js'), 'good');
          symlinkSync('..', join(directory, 'node_modules', 'own'));
        },
      });
    const [baseline, candidate] = [version('a'), version('b')];
    await provide(baseline);
    await provide(candidate);
    writeFileSync(join(candidate, 'node_modules', 'left-pad', 'index.js'), 'evil');
    expect(installed(baseline)).toBe('good');
  });

  test('runs once for all versions with the same dependencies', async () => {
    const { version, provide, installed, count } = makeScene();
    const [first, second, third] = [version('a'), version('b'), version('c')];
    await provide(first);
    await provide(first);
    await provide(second);
    await provide(third, 'd2');
    expect([installed(first), installed(second), installed(third)]).toEqual(['1', '1', '2']);
    expect(count()).toBe(2);
  });

  test('of a change serves this change alone, and uses what the baseline has installed', async () => {
    const { version, provide, installed } = makeScene();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const [first, again, other, baseline, later] = names.map(version) as [
      string,
      string,
      string,
      string,
      string,
    ];
    await provide(first, 'd1', 'chg_1');
    await provide(again, 'd1', 'chg_1');
    await provide(other, 'd1', 'chg_2');
    await provide(baseline);
    await provide(later, 'd1', 'chg_3');
    expect([first, again, other, baseline, later].map(installed)).toEqual([
      '1',
      '1',
      '2',
      '3',
      '3',
    ]);
  });

  test("never touches the packages in the user's checkout", async () => {
    const { root, version, provide, installed } = makeScene();
    const own = join(root, 'own', 'node_modules');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'mine'), 'mine');
    const directory = version('a');
    symlinkSync(own, join(directory, 'node_modules'));
    await provide(directory);
    expect(installed(directory)).toBe('1');
    expect(readdirSync(own)).toEqual(['mine']);
  });

  test('keeps links between packages of the repository inside the same version', async () => {
    const { root, version, provide } = makeScene();
    const [first, second] = [version('a'), version('b')];
    for (const directory of [first, second]) {
      mkdirSync(join(directory, 'packages', 'own'), { recursive: true });
      writeFileSync(join(directory, 'packages', 'own', 'index.js'), directory);
    }
    const cache = new InstallCache(join(root, 'other-cache'));
    const install = (directory: string) =>
      cache.provide({
        directory,
        digest: 'd',
        run: async () => {
          mkdirSync(join(directory, 'node_modules'));
          symlinkSync('../packages/own', join(directory, 'node_modules', 'own'));
        },
      });
    await install(first);
    await install(second);
    await provide(version('c'));
    for (const directory of [first, second]) {
      const own = readFileSync(join(directory, 'node_modules', 'own', 'index.js'), 'utf8');
      expect(own).toBe(directory);
      expect(lstatSync(join(directory, 'node_modules')).isSymbolicLink()).toBe(false);
    }
  });

  test('of a change is kept under a name of the same form as that of the baseline', async () => {
    const { version, provide } = makeScene();
    const [changed, baseline] = [version('a'), version('b')];
    await provide(changed, sha256('after'), 'chg_1');
    await provide(baseline, sha256('before'));
    for (const directory of [changed, baseline]) {
      const kept = dirname(readlinkSync(join(directory, 'node_modules')));
      expect(basename(kept)).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test('that fails leaves nothing that looks complete', async () => {
    const { version, provide, count } = makeScene();
    const { root } = makeScene();
    const cache = new InstallCache(join(root, 'cache'));
    const directory = version('a');
    const failing = cache.provide({
      directory,
      digest: 'd1',
      run: () => Promise.reject(new Error('no network')),
    });
    await expect(failing).rejects.toThrow('no network');
    await provide(directory);
    expect(count()).toBe(1);
  });

  test('is not reused when a manifest, the command or the directory differs', () => {
    const { root, version } = makeScene();
    const directory = version('a');
    const digest = (command = 'npm ci', place = directory) => manifestDigest(place, root, command);
    const first = digest();
    expect(digest()).toBe(first);
    expect(digest('npm install')).not.toBe(first);
    expect(digest('npm ci', version('b'))).not.toBe(first);
    writeFileSync(join(directory, 'package-lock.json'), '{}');
    expect(digest()).not.toBe(first);
  });
});
