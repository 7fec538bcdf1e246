import { limits } from '../../kernel/index.ts';
import { type HunkPosition, hunkPositions, isTestFile, removeHunk } from '../../lanes/index.ts';
import { runner } from '../pipeline/lane-pair.ts';
import { type RunDeps, runSuites, runTest, type VerifyRequest } from '../pipeline/run.ts';

/**
 * Parts of a change that nothing needs: left out, every check still holds. Each is tried in a lane
 * of its own; what does not apply or start without it is needed.
 */
export async function findIdleHunks(request: VerifyRequest, deps: RunDeps): Promise<string[]> {
  const { test } = request;
  // Without a test that fails before it, all checks hold without any of it.
  if (!test) return [nothingAsked];
  // With less around each, more of them stand by themselves.
  const patch = await deps.lanes.diffOf(request, 1);
  const hunks = hunkPositions(patch).filter(({ file }) => !isTestFile(file));
  const idle: string[] = [];
  for (const hunk of hunks.slice(0, limits.idleHunksMax)) {
    deps.tell?.(`trying without ${hunk.file}:${hunk.line}`);
    if (!deps.signal?.aborted && (await isIdle(hunk, { ...request, patch }, deps)))
      idle.push(tellIdle(hunk));
  }
  const left = hunks.length - limits.idleHunksMax;
  return left > 0 ? [...idle, `${left} more hunks were not tried one by one`] : idle;
}

const nothingAsked =
  'every check holds without this change, too: none says what it is for. ' +
  'A test that fails before it would: surety task test, or surety verify --test';

function tellIdle({ file, line }: HunkPosition): string {
  return `${file}:${line} may be unnecessary: without it, every check holds, too`;
}

async function isIdle(
  hunk: HunkPosition,
  { patch: whole, base, test }: VerifyRequest,
  deps: RunDeps,
): Promise<boolean> {
  const patch = removeHunk(whole, hunk);
  if (patch === null || !test) return false;
  const lane = await deps.lanes.open(runner, { patch, base, transient: true }).catch(() => null);
  if (!lane) return false;
  try {
    const run = await runTest(test, lane, base, deps);
    if (run.result !== 'passed') return false;
    return (await runSuites(lane, base, deps)).every(({ result }) => result === 'passed');
  } finally {
    await deps.lanes.close(runner, lane.lane);
  }
}
