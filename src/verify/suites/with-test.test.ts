import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { MakeIdentifier } from '../../kernel/index.ts';
import { Trees } from '../../lanes/index.ts';
import { defaultConfig } from '../../system/index.ts';
import { withTest } from './run-suites.ts';

// proves: lanes.confined
test('refuses a submitted test that would replace a package of the repository', async () => {
  const root = mkdtempSync(join(tmpdir(), 'surety-with-test-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const installed = join(root, 'node_modules', 'express', 'index.js');
  mkdirSync(join(root, 'node_modules', 'express'), { recursive: true });
  writeFileSync(installed, 'good');
  writeFileSync(join(root, '.gitignore'), 'node_modules\n.surety\n');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.email=a@b', '-c', 'user.name=a', ...words], { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const trees = new Trees(root, join(root, '.surety', 'trees'));
  const tests = { command: 'node', directory: '.' };
  const deps = {
    trees,
    config: { ...defaultConfig(), tests } as never,
    makeIdentifier: (() => 'lane_test') as unknown as MakeIdentifier,
  };
  const test = { path: 'node_modules/express/index.js', code: 'evil' } as never;
  await expect(
    withTest(test, await trees.head(), deps, async () => undefined),
  ).rejects.toMatchObject({ code: 'TEST_OUTSIDE' });
  expect(readFileSync(installed, 'utf8')).toBe('good');
});
