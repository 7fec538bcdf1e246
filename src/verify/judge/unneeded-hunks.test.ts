import { expect, test } from 'vitest';
import { verifyLimits } from '../limits.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { findUnneededHunks } from './unneeded-hunks.ts';

const hunk = (n: number) => `@@ -${n * 9} +${n * 9} @@\n-old ${n}\n+new ${n}\n`;
const patch = (hunks: number) =>
  `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n${Array.from({ length: hunks }, (_, n) => hunk(n + 1)).join('')}`;

/** No lane can be opened: without the hunk, the patch does not apply. */
function fakeContext(): { asked: string[]; context: VerifyContext } {
  const asked: string[] = [];
  const open = async (_: string, { patch: left }: { patch: string }) => {
    asked.push(left);
    throw new Error('does not apply');
  };
  const diffOf = async ({ patch: whole }: { patch: string }) => whole;
  return { asked, context: { lanes: { open, diffOf } } as unknown as VerifyContext };
}

const asTest = { path: 't.mjs', code: '' };

test.each([
  [verifyLimits.idleHunksMax, verifyLimits.idleHunksMax, []],
  [verifyLimits.idleHunksMax + 1, verifyLimits.idleHunksMax, ['1 more hunks were not tried']],
])('a change with %i hunks is tried without each of %i hunks', async (count, tried, told) => {
  const { asked, context } = fakeContext();
  const request = { patch: patch(count), base: 'b', test: asTest };
  expect(await findUnneededHunks(request, context)).toEqual(told);
  expect(asked).toHaveLength(tried);
});

test('without a test, no hunk is tried and a notice asks for a test', async () => {
  const { asked, context } = fakeContext();
  const [told] = await findUnneededHunks({ patch: patch(2), base: 'b' }, context);
  expect(told).toContain('every check also passes without this change');
  expect(asked).toEqual([]);
});
