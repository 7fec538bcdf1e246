import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationResponse } from '../src/http/index.ts';
import { openEnvironment } from '../src/index.ts';
import { isDeep } from './harness/deep.ts';
import { git, type SmallSystem } from './harness/systems/small-system.ts';
import {
  coderClient,
  makeJudgedSystem,
  versionPatch,
  wantsTwo,
} from './harness/systems/task-walk.ts';
import { until } from './harness/until.ts';

type Verdict = OperationResponse<'POST /v1/verdicts'>;

const schema = JSON.parse(
  readFileSync(new URL('../docs/verdict.schema.json', import.meta.url), 'utf8'),
);
const conforms = new Ajv2020({ strict: false }).compile(schema);

function breakBack(root: string): string {
  return editBack(root, 'version, next', 'version: [version], next');
}

/** A patch that replaces a part of the service behind. */
function editBack(root: string, before: string, after: string): string {
  const path = join(root, 'back.mjs');
  const code = readFileSync(path, 'utf8');
  writeFileSync(path, code.replace(before, after));
  const patch = git(root, 'diff', '--', 'back.mjs');
  git(root, 'checkout', '--quiet', '--', 'back.mjs');
  return patch;
}

describe('a verdict', () => {
  let system: SmallSystem;
  let found: string[];
  beforeAll(async () => {
    system = await makeJudgedSystem();
    await system.workspace.up();
    await system.workspace.run('system', 'up');
  });
  afterAll(() => system.workspace[Symbol.asyncDispose]());

  test('names the suspect lines and a command that reproduces the finding', async () => {
    const { workspace } = system;
    const patch = join(workspace.root, 'broken.patch');
    writeFileSync(patch, breakBack(workspace.root));
    const { code, value } = await workspace.surety('verify', '--patch', patch);
    expect(code).toBe(1);
    expect(conforms(value), JSON.stringify(conforms.errors)).toBe(true);
    const { findings, change } = value as unknown as Verdict;
    found = findings.map(({ id }) => id);
    expect(findings[0]).toMatchObject({
      kind: 'wire',
      service: 'back',
      field: 'version',
      lines: [
        {
          file: 'back.mjs',
          line: 6,
          text: [expect.anything(), expect.stringContaining('[version]')],
        },
      ],
      reproduction: `surety verify --change ${change} --suite flow`,
    });
    const forms = ['html', 'markdown', 'sarif', 'junit'];
    const fileOf = (form: string) => join(workspace.root, `verdict.${form}`);
    const files = forms.flatMap((form) => [`--${form}`, fileOf(form)]);
    const inForms = await workspace.surety('verdict', 'show', String(value.id), ...files);
    expect(inForms).toEqual({ code: 1, value });
    for (const form of forms) expect(readFileSync(fileOf(form), 'utf8')).toContain(change);
    const [, ...words] = String(findings[0]?.reproduction).split(' ');
    const again = await workspace.surety(...words);
    expect(again).toMatchObject({ code: 1, value: { change, verdict: 'fail' } });
    expect((again.value.findings as object[])[0]).toMatchObject({
      id: found[0],
    });
  });

  test.runIf(isDeep)('of a branch exits with 0, and an ambiguous change with 2', async () => {
    const { workspace } = system;
    const { root } = workspace;
    git(root, 'checkout', '--quiet', '-b', 'two');
    writeFileSync(join(root, 'two.patch'), versionPatch(root, 'back.mjs', 'two'));
    git(root, 'apply', 'two.patch');
    git(root, 'commit', '--quiet', '--all', '--message', 'two');
    git(root, 'checkout', '--quiet', 'main');
    appendFileSync(join(root, 'back.mjs'), '\n// Nothing needs this.\n');
    writeFileSync(join(root, 'wants-two.mjs'), wantsTwo);
    git(root, 'apply', 'two.patch');
    writeFileSync(join(root, 'more.patch'), git(root, 'diff', '-U1', '--', 'back.mjs'));
    git(root, 'checkout', '--quiet', '--', 'back.mjs');
    const files = [join(root, 'more.patch'), '--test', join(root, 'wants-two.mjs')];
    const thin = await workspace.surety('verify', ...files, '--unnecessary');
    expect(thin).toMatchObject({ code: 0, value: { verdict: 'pass' } });
    expect(JSON.stringify(thin.value.notices)).toMatch(/back.mjs:\d+ may be unnecessary/);
    expect(JSON.stringify(thin.value.notices)).not.toContain('back.mjs:1 may be');
    const passed = await workspace.surety('verify', '--ref', 'two');
    expect(passed).toMatchObject({ code: 0, value: { verdict: 'pass', findings: [] } });
    expect(conforms(passed.value)).toBe(true);
    for (const words of [[], ['two.patch', '--ref', 'two'], ['--change', 'x', '--base', 'main']]) {
      expect(await workspace.surety('verify', ...words)).toMatchObject({ code: 2 });
    }
    expect(await workspace.surety('verify', '--change', 'chg_none')).toMatchObject({
      // Not 1, which is a verdict.
      code: 2,
      value: { fault: { code: 'NOT_FOUND' } },
    });
  });

  // proves: verify.executed
  test('names changed lines that no request ran, and passes only if some ran or none can', async () => {
    const { workspace } = system;
    const verify = async (after: string): Promise<Verdict> => {
      const patch = join(workspace.root, 'edit.patch');
      writeFileSync(patch, editBack(workspace.root, '  response.setHeader', `${after}\n$&`));
      return (await workspace.surety('verify', patch)).value as unknown as Verdict;
    };
    const rare = "  if (request.url === '/rare') {\n    response.statusCode = 500;\n  }";
    const partly = await verify(rare);
    expect(partly).toMatchObject({
      verdict: 'pass',
      reason: expect.stringContaining('1 of 2 changed lines ran; '),
      coverage: { status: 'partial', unexecuted: [{ file: 'back.mjs', line: 6 }] },
      notices: [
        'back.mjs:6 was run by no request: response.statusCode = 500; ' +
          "(needs if (request.url === '/rare'); start from GET /, which runs code near it)",
      ],
    });
    expect(await verify('  function later() {\n    return 5;\n  }')).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('0 of 2 changed lines ran: back.mjs:5-6 was run by no'),
      coverage: { status: 'none', unexecuted: [{ line: 5, end: 6, function: 'later' }] },
    });
    expect(await verify('  // A comment.')).toMatchObject({
      verdict: 'pass',
      reason: expect.stringContaining('only comments, types or tests changed'),
      coverage: { status: 'no-code', lines: 0 },
    });
  });

  test('is inconclusive at the deadline, and leaves no lane behind', async () => {
    const { workspace } = system;
    const changes = breakBack(workspace.root);
    const environment = openEnvironment({ daemon: workspace.root });
    const late = await environment.deployAndValidate({ changes, timeout_minutes: 0.000_1 });
    expect(late).toMatchObject({
      tests_passed: false,
      metrics_acceptable: false,
      verdict: { verdict: 'inconclusive', reason: expect.stringContaining('the deadline passed') },
    });
    // What was starting at the deadline ends once it has started.
    await until('its lanes are closed', async () => {
      const { lanes } = await workspace.run('lane', 'list');
      return (lanes as unknown[]).length === 0;
    });
    await until('the verification has ended', async () => {
      const { running } = await workspace.client().call('GET /v1/verifications', {});
      return running.length === 0;
    });
  });

  test('passes after a person disputes its finding, until the dispute expires', async () => {
    const { workspace } = system;
    const agent = coderClient(workspace);
    const ids = found;
    const dispute = (finding: string, ...more: string[]) =>
      workspace.surety('verdict', 'dispute', finding, '--reason', 'both are read', ...more);
    expect(await dispute('fnd_0000000000000000')).toMatchObject({
      value: { fault: { code: 'FINDING_UNKNOWN' } },
    });
    const body = { finding: String(ids[0]), reason: 'I say so' };
    await expect(agent.call('POST /v1/disputes', { body })).rejects.toMatchObject({
      code: 'NOT_FOR_AGENTS',
    });
    for (const id of ids) expect(await dispute(id)).toMatchObject({ code: 0 });
    const environment = openEnvironment({ daemon: workspace.root });
    const changes = breakBack(workspace.root);
    const harness = await environment.deployAndValidate({ changes, validation_suite: 'flow' });
    expect(harness).toMatchObject({ tests_passed: true, metrics_acceptable: true });
    const { verdict: passed } = harness;
    expect(passed).toMatchObject({ verdict: 'pass', findings: [] });
    expect(conforms(passed), JSON.stringify(conforms.errors)).toBe(true);
    expect(passed.disputed?.map(({ finding }) => finding)).toEqual(ids);
    expect(passed.notices.join()).toMatch(/is disputed by person:\w+ until .*: both are read/);
    const stats = await workspace.run('stats');
    expect(stats).toMatchObject({ all: { disputes: ids.length, promotions: 0 } });
    const gaps = (await workspace.run('gaps')) as unknown as OperationResponse<'GET /v1/gaps'>;
    const [cost] = gaps.costs;
    expect(gaps.kinds).toContainEqual({
      kind: '.mjs',
      changes: expect.any(Number),
      executed: expect.any(Number),
    });
    expect(gaps.suites).toContainEqual(expect.objectContaining({ suite: 'flow', caught: 0 }));
    expect(cost).toMatchObject({
      actor: expect.stringMatching(/^person:/),
      verdicts: expect.any(Number),
    });
    expect(cost?.cpuSeconds).toBeGreaterThan(0);
    await expect(agent.call('GET /v1/gaps', { query: {} })).rejects.toMatchObject({
      code: 'NOT_FOR_AGENTS',
    });
    await dispute(String(ids[0]), '--days', '0');
    expect((await workspace.run('verdict', 'disputes')).disputes).toHaveLength(ids.length - 1);
    expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  });
});
