import { type HunkPosition, hunkPositions, removeHunk } from '../../lanes/index.ts';
import { isTestFile } from '../../system/index.ts';
import { verifyLimits } from '../limits.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { runner } from '../pipeline/lane-pair.ts';
import type { VerifyRequest } from '../pipeline/request.ts';
import { runSuites, runTest } from '../suites/run-suites.ts';

/**
 * Hunks of a change that no check needs. Each is left out once, in a lane of its own; a hunk is
 * needed if the rest does not apply or start without it.
 */
export async function findUnneededHunks(
  request: VerifyRequest,
  context: VerifyContext,
): Promise<string[]> {
  const { test } = request;
  // Without a test that fails on the baseline, all checks pass without any hunk.
  if (!test) return [noTest];
  // With less context, a diff has more separate hunks.
  const patch = await context.lanes.diffOf(request, 1);
  const hunks = hunkPositions(patch).filter(({ file }) => !isTestFile(file));
  const unneeded: string[] = [];
  for (const hunk of hunks.slice(0, verifyLimits.idleHunksMax)) {
    context.onProgress?.(`trying without ${hunk.file}:${hunk.line}`);
    if (!context.signal?.aborted && (await isUnneeded(hunk, { ...request, patch }, context)))
      unneeded.push(formatUnneeded(hunk));
  }
  const left = hunks.length - verifyLimits.idleHunksMax;
  return left > 0 ? [...unneeded, `${left} more hunks were not tried`] : unneeded;
}

const noTest =
  'every check also passes without this change, so none shows what it is for. ' +
  'Add a test that fails on the baseline: surety task test, or surety verify --test';

function formatUnneeded({ file, line }: HunkPosition): string {
  return `${file}:${line} may be unnecessary: every check also passes without it`;
}

async function isUnneeded(
  hunk: HunkPosition,
  { patch: whole, base, test }: VerifyRequest,
  context: VerifyContext,
): Promise<boolean> {
  const patch = removeHunk(whole, hunk);
  if (patch === null || !test) return false;
  const lane = await context.lanes.open(runner, { patch, base, transient: true }).catch(() => null);
  if (!lane) return false;
  try {
    const run = await runTest(test, lane, base, context);
    if (run.result !== 'passed') return false;
    return (await runSuites(lane, base, context)).every(({ result }) => result === 'passed');
  } finally {
    await context.lanes.close(runner, lane.lane);
  }
}
