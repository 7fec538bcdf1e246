import { existsSync } from 'node:fs';
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
