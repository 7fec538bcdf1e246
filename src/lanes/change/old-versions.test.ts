import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { laneLimits } from '../limits.ts';
import { Repository } from '../repository.fixture.ts';

const now = 1_800_000_000_000;
const long = laneLimits.idleVersionTreeMsMin + 1_000;

describe('checked-out versions', () => {
  let repository: Repository;
  beforeEach(() => {
    repository = new Repository();
  });
  afterEach(() => repository[Symbol.dispose]());

  const directory = (): string => join(repository.root, '.surety', 'trees');
  const left = (): string[] => readdirSync(directory()).sort();

  /** A version of its own, that was last opened so long ago. */
  async function open(ageMs: number): Promise<string> {
    repository.git('commit', '--quiet', '--allow-empty', '--message', `${ageMs}`);
    const commit = repository.git('rev-parse', 'HEAD').trim();
    await repository.trees.open(commit);
    age(commit, ageMs);
    return commit;
  }

  function age(commit: string, ageMs: number): void {
    const at = (now - ageMs) / 1_000;
    utimesSync(join(repository.root, '.git/worktrees', commit, 'surety-opened'), at, at);
    utimesSync(join(directory(), commit), at, at);
  }

  test(`are kept when they are among the last ${laneLimits.idleVersionTreesMax} or in use`, async () => {
    const commits: string[] = [];
    for (let n = 0; n < laneLimits.idleVersionTreesMax + 3; n++) commits.push(await open(long + n));
    const [used, over, older] = commits.slice(-3) as [string, string, string];
    await repository.trees.removeOld(new Set([used]), now);
    expect(left()).toEqual(commits.filter((commit) => ![over, older].includes(commit)).sort());
    expect(repository.git('worktree', 'list')).not.toContain(over);
    expect(existsSync(join(repository.root, '.git/worktrees', over))).toBe(false);
    // What was removed can be had again.
    const { root } = await repository.trees.open(over);
    expect(readdirSync(root)).toContain('back.mjs');
  });

  test(`are kept for ${laneLimits.idleVersionTreeMsMin} ms after they were last opened`, async () => {
    const commits: string[] = [];
    for (let n = 0; n < laneLimits.idleVersionTreesMax; n++) commits.push(await open(n));
    const last = await open(laneLimits.idleVersionTreeMsMin);
    await repository.trees.removeOld(new Set(), now);
    expect(left()).toEqual([...commits, last].sort());
    age(last, laneLimits.idleVersionTreeMsMin + 1_000);
    await repository.trees.removeOld(new Set(), now);
    expect(left()).toEqual(commits.toSorted());
  });

  test('are removed without touching anything else', async () => {
    await repository.trees.removeOld(new Set(), now);
    await repository.trees.open(repository.base, 'lane_1');
    for (let n = 0; n <= laneLimits.idleVersionTreesMax; n++) await open(long + n);
    await repository.trees.removeOld(new Set(), now);
    expect(left()).toHaveLength(laneLimits.idleVersionTreesMax + 1);
    expect(left()).toContain('lane_1');
  });
});
