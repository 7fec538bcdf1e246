import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Repository } from '../repository.fixture.ts';

test('a version beside a lane has no folder of the lane above it, and goes with it', async () => {
  using repository = new Repository();
  const { trees } = repository;
  const base = await trees.head();
  const tree = await trees.open(base, 'lane_1');
  const beside = await trees.openBeside(tree, base);
  expect(existsSync(beside.root)).toBe(true);
  expect(beside.top.startsWith(tree.top)).toBe(false);
  await trees.remove('lane_1');
  expect(existsSync(beside.top)).toBe(false);
});

test('a version links to the packages of every folder with a package.json', async () => {
  using repository = new Repository({ 'shop/package.json': '{}', 'shop/main.mjs': 'one\n' });
  const installed = join(repository.root, 'shop', 'node_modules');
  mkdirSync(installed);
  const { top, packages } = await repository.trees.open(repository.base);
  const link = join(top, 'shop', 'node_modules');
  expect(readlinkSync(link)).toBe(installed);
  expect(packages).toEqual([{ link, installed }]);
});

test('no link to packages is made in a folder that a change turned into a link', async () => {
  using repository = new Repository({ 'shop/package.json': '{}' });
  mkdirSync(join(repository.root, 'shop', 'node_modules'));
  const outside = join(repository.root, '.surety', 'outside');
  mkdirSync(outside, { recursive: true });
  rmSync(join(repository.root, 'shop'), { recursive: true });
  symlinkSync(outside, join(repository.root, 'shop'));
  repository.commit('a link');
  const linked = repository.git('rev-parse', 'HEAD').trim();
  repository.git('checkout', '--quiet', repository.base);
  mkdirSync(join(repository.root, 'shop', 'node_modules'));
  await repository.trees.open(linked);
  expect(existsSync(join(outside, 'node_modules'))).toBe(false);
});
