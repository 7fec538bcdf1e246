import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { viewOf } from './version-view.ts';

// proves: lanes.confined
test('shows the packages of the repository, and no other place that a program links to', () => {
  const repository = mkdtempSync(join(tmpdir(), 'surety-view-'));
  onTestFinished(() => rmSync(repository, { recursive: true }));
  const packages = join(repository, 'node_modules');
  const top = join(repository, '.surety', 'trees', 'lane_1');
  for (const directory of [packages, top]) mkdirSync(directory, { recursive: true });
  const link = join(top, 'node_modules');
  const tree = { commit: 'c', root: top, top, packages: [{ link, installed: packages }] };

  symlinkSync(packages, link);
  expect(viewOf(tree).readable).toEqual([packages]);

  unlinkSync(link);
  symlinkSync(join(repository, '.surety'), link);
  expect(viewOf(tree).readable).toEqual([]);
});
