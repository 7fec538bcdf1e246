import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { git, type SmallSystem } from './harness/systems/small-system.ts';
import { makeJudgedSystem, versionPatch, wantsTwo } from './harness/systems/task-walk.ts';

const wants = (version: string): string => wantsTwo.replaceAll("'two'", `'${version}'`);

describe.runIf(isDeep)('a change that is meant to change an answer', () => {
  let system: SmallSystem;
  beforeAll(async () => {
    system = await makeJudgedSystem();
    const { root } = system.workspace;
    writeFileSync(join(root, 'flow.mjs'), wants('one'));
    git(root, 'commit', '--quiet', '--all', '--amend', '--no-edit');
    await system.workspace.up();
    await system.workspace.run('system', 'up');
  });
  afterAll(() => system.workspace[Symbol.asyncDispose]());

  const writePatch = (version: string, suite?: string): string => {
    const { root } = system.workspace;
    const file = join(root, '.surety', `${version}.patch`);
    const patch = versionPatch(root, 'back.mjs', version);
    if (suite === undefined) writeFileSync(file, patch);
    else {
      writeFileSync(join(root, 'flow.mjs'), suite);
      writeFileSync(file, patch + git(root, 'diff', '--', 'flow.mjs'));
      git(root, 'checkout', '--quiet', '--', 'flow.mjs');
    }
    return file;
  };
  const verify = (...words: string[]) => system.workspace.surety('verify', ...words);
  const because = ['--reason', 'the version rises'];

  // proves: verify.intended
  test('fails by the suite of the baseline, and passes with findings that a person intends', async () => {
    const patch = writePatch('two');
    const { value: failed } = await verify(patch);
    expect(failed).toMatchObject({ verdict: 'fail' });
    const ids = (failed.findings as { id: string }[]).map(({ id }) => id).join(',');
    const { value: intended } = await verify(patch, '--intend', ids, ...because);
    expect(intended).toMatchObject({ verdict: 'pass' });
    const notice = /^fnd_[0-9a-f]{16} is intended, says person:\S+: the version rises$/;
    expect(intended.notices).toContainEqual(expect.stringMatching(notice));
  });

  test('excuses neither another change nor the same one once more', async () => {
    const patch = writePatch('two');
    const { value: failed } = await verify(patch);
    const ids = (failed.findings as { id: string }[]).map(({ id }) => id).join(',');
    await verify(patch, '--intend', ids, ...because);
    expect((await verify(writePatch('three'))).value).toMatchObject({ verdict: 'fail' });
    expect((await verify(patch)).value).toMatchObject({ verdict: 'fail' });
  });

  test('passes with the suite that it edits, once a person allows that', async () => {
    const patch = writePatch('four', wants('four'));
    const { value: refused } = await verify(patch);
    // follows: CHANGE_PROTECTED
    expect(refused).toMatchObject({ fault: { code: 'CHANGE_PROTECTED' } });
    await system.workspace.run('change', 'override', patch, '--reason', 'the runner is new');
    expect((await verify(patch)).value).toMatchObject({ verdict: 'fail', checks: { failed: 1 } });
    const { value: passed } = await verify(patch, '--intend', 'suites', ...because);
    expect(passed).toMatchObject({ verdict: 'pass', checks: { passed: 1, failed: 0 } });
    const remark =
      /^suite "flow" was used as this change edits it; allowed by person:\S+, reason: the version/;
    expect(passed.notices).toContainEqual(expect.stringMatching(remark));
    await system.workspace.run('promote', patch);
    expect(await system.ask('front')).toMatchObject({ next: { version: 'four' } });
    expect(readFileSync(join(system.workspace.root, 'flow.mjs'), 'utf8')).toContain("'one'");
  });

  test('fails by the suite that it edits where it does not do what that suite expects', async () => {
    git(system.workspace.root, 'checkout', '--quiet', 'surety/baseline');
    const root = system.workspace.root;
    writeFileSync(join(root, 'flow.mjs'), wants('six'));
    const back = readFileSync(join(root, 'back.mjs'), 'utf8').replace("'four'", "'five'");
    writeFileSync(join(root, 'back.mjs'), back);
    const { value: failed } = await verify('--worktree', '--intend', 'suites', ...because);
    expect(failed).toMatchObject({ verdict: 'fail', checks: { failed: 1 } });
  });
});
