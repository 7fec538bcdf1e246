import { expect, test } from 'vitest';
import { limits } from '../../kernel/index.ts';
import type { RunDeps } from '../pipeline/run.ts';
import { findIdleHunks } from './unneeded-hunks.ts';

const hunk = (n: number) => `@@ -${n * 9} +${n * 9} @@\n-old ${n}\n+new ${n}\n`;
const patch = (hunks: number) =>
  `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n${Array.from({ length: hunks }, (_, n) => hunk(n + 1)).join('')}`;

/** Lanes that can't be opened: without the hunk, nothing applies. */
function deps(): { asked: string[]; deps: RunDeps } {
  const asked: string[] = [];
  const open = async (_: string, { patch: left }: { patch: string }) => {
    asked.push(left);
    throw new Error('does not apply');
  };
  const diffOf = async ({ patch: whole }: { patch: string }) => whole;
  return { asked, deps: { lanes: { open, diffOf } } as unknown as RunDeps };
}

const asTest = { path: 't.mjs', code: '' };

test.each([
  [limits.idleHunksMax, limits.idleHunksMax, []],
  [limits.idleHunksMax + 1, limits.idleHunksMax, ['1 more hunks were not tried one by one']],
])('of %i hunks, %i are tried', async (count, tried, told) => {
  const { asked, deps: given } = deps();
  const request = { patch: patch(count), base: 'b', test: asTest };
  expect(await findIdleHunks(request, given)).toEqual(told);
  expect(asked).toHaveLength(tried);
});

test('without a test nothing says what a change is for', async () => {
  const { asked, deps: given } = deps();
  const [told] = await findIdleHunks({ patch: patch(2), base: 'b' }, given);
  expect(told).toContain('every check holds without this change');
  expect(asked).toEqual([]);
});
