import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultCode } from '../src/kernel/index.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

type Words = readonly string[];

const policy = `version: 1
tools:
  order.get:
    effect: read
    arguments: {type: object, properties: {}}
agents:
  ada: {tools: ["*"]}
`;

/** Runs a command that fails with this fault, and returns its remedy. */
async function provoke(workspace: Workspace, code: FaultCode, words: Words): Promise<string> {
  const { value } = await workspace.surety(...words);
  expect(value.fault?.code).toBe(code);
  return value.fault?.remedy ?? '';
}

// proves: kernel.remedies-followed
describe('remedies on a workspace without a daemon', () => {
  // follows: DAEMON_NOT_RUNNING, LEDGER_MISSING
  test('lead from no daemon and no ledger to both', async () => {
    await using workspace = new Workspace();
    const noLedger = await provoke(workspace, 'LEDGER_MISSING', ['ledger', 'verify']);
    const noDaemon = await provoke(workspace, 'DAEMON_NOT_RUNNING', ['approvals']);
    expect(`${noLedger} ${noDaemon}`).toMatch(/with surety up,.*: surety up$/);
    await workspace.run('up');
    expect(await workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
    expect(await workspace.run('approvals')).toBeDefined();
  });

  // follows: NOTHING_DISCOVERED, FILE_EXISTS
  test('lead from an empty folder to a surety.yaml, and from an old one to a new one', async () => {
    await using workspace = new Workspace();
    const { root } = workspace;
    git(root, 'init', '--quiet');
    writeFileSync(join(root, '.gitignore'), '.surety/\n');
    commit(root, 'empty');
    const found = await provoke(workspace, 'NOTHING_DISCOVERED', ['init', '--no-try']);
    expect(found).toContain('Procfile');
    writeFileSync(join(root, 'Procfile'), 'web: node web.js\n');
    await workspace.run('init', '--no-try');
    const exists = await provoke(workspace, 'FILE_EXISTS', ['init', '--no-try']);
    expect(exists).toContain('--force');
    await workspace.run('init', '--no-try', '--force');
    expect(readFileSync(join(root, 'surety.yaml'), 'utf8')).toContain('node web.js');
  });

  // follows: CONFIG_INVALID, POLICY_INVALID, POLICY_NOT_NAMED, CASES_UNREADABLE
  test('lead from mistakes in files to a policy that passes its check', async () => {
    await using workspace = new Workspace({ config: 'polcy: policy.yaml\n' });
    const file = join(workspace.root, 'surety.yaml');
    await provoke(workspace, 'CONFIG_INVALID', ['policy', 'check']);
    writeFileSync(file, 'workspace: shop\n');
    const unnamed = await provoke(workspace, 'POLICY_NOT_NAMED', ['policy', 'check']);
    expect(unnamed).toContain('Add `policy: policy.yaml` to surety.yaml');
    writeFileSync(file, 'policy: policy.yaml\n');
    writeFileSync(join(workspace.root, 'policy.yaml'), policy.replace('tools:', 'tolls:'));
    await provoke(workspace, 'POLICY_INVALID', ['policy', 'check']);
    writeFileSync(join(workspace.root, 'policy.yaml'), policy);
    expect((await workspace.surety('policy', 'check')).value.fault).toBeUndefined();
    const cases = await provoke(workspace, 'CASES_UNREADABLE', ['policy', 'test']);
    expect(cases).toContain('<policy>.cases.yaml');
    const call = '{agent: ada, tool: order.get, arguments: {}, expect: allow}';
    writeFileSync(join(workspace.root, 'policy.cases.yaml'), `cases:\n  - ${call}\n`);
    expect((await workspace.surety('policy', 'test')).value.fault?.code).not.toBe(
      'CASES_UNREADABLE',
    );
  });
});

describe('remedies on a daemon', () => {
  let workspace: Workspace;

  beforeAll(async () => {
    workspace = new Workspace({ config: 'policy: policy.yaml\n' });
    writeFileSync(join(workspace.root, 'policy.yaml'), policy);
    await workspace.up();
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  // follows: LANE_CLOSED, STOP_SCOPE_INVALID, TASK_UNKNOWN
  test.each<[FaultCode, Words, Words]>([
    ['LANE_CLOSED', ['lane', 'close', 'lane_1'], ['lane', 'list']],
    [
      'STOP_SCOPE_INVALID',
      ['stop', 'everything', '--reason', 'x'],
      ['stop', 'tool:order.get', '--reason', 'x'],
    ],
    ['TASK_UNKNOWN', ['task', 'show', 'task_1'], ['task', 'open', 'a goal']],
    ['USAGE', ['lane', 'open', '--nonsense'], ['version']],
  ])('%s: what its remedy says can be done', async (code, words, follow) => {
    await provoke(workspace, code, words);
    expect(await workspace.run(...follow)).toBeDefined();
  });
});

describe('remedies of exports', () => {
  // follows: EXPORT_INVALID, IMPORT_NOT_EMPTY
  test('lead from a damaged export and a full ledger to an imported ledger', async () => {
    await using workspace = new Workspace();
    await workspace.up();
    const file = join(workspace.root, 'ledger.jsonl');
    await workspace.run('ledger', 'note', 'hello');
    await workspace.run('ledger', 'export', '--file', file);
    await workspace.run('down');
    const key = ['--key', join(workspace.root, 'ledger.pub.pem')];
    const full = await provoke(workspace, 'IMPORT_NOT_EMPTY', ['ledger', 'import', file, ...key]);
    expect(full).toContain('Import into a new directory');
    await using other = new Workspace();
    mkdirSync(join(other.root, 'in'));
    const damaged = join(other.root, 'in', 'ledger.jsonl');
    writeFileSync(damaged, readFileSync(file, 'utf8').replace('{', '<'));
    const again = await provoke(other, 'EXPORT_INVALID', ['ledger', 'import', damaged, ...key]);
    expect(again).toContain('surety ledger export');
    await other.run('ledger', 'import', file, ...key);
    expect(await other.run('ledger', 'verify')).toMatchObject({ ok: true });
  });
});
