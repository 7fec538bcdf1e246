import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { suretyProgram } from './harness/programs.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const policy = (mode: string): string => `version: 1
mode: ${mode}
include: [pack:coding-agent]
agents:
  coder: { roles: [coding-agent] }
`;

interface HookAnswer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let workspace: Workspace;
let calls = 0;
beforeAll(async () => {
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  writeFileSync(join(workspace.root, 'policy.yaml'), policy('enforce'));
  await workspace.up();
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** The real program, as a harness starts it. The commands in its input are never run. */
async function hook(payload: object, ...more: string[]): Promise<HookAnswer> {
  const words = ['hook', '--harness', 'claude', '--agent', 'coder', '-C', workspace.root];
  const child = spawn(process.execPath, [suretyProgram, ...words, ...more]);
  child.stdin.end(JSON.stringify(payload));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

const shell = (command: string, id = `call-${++calls}`) => ({
  session_id: 'session',
  cwd: workspace.root,
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: id,
});

const endOf = (payload: object) => ({
  ...payload,
  hook_event_name: 'PostToolUse',
  tool_response: { stdout: 'x'.repeat(3_000_000) },
});

function reasonOf({ stdout }: HookAnswer): string {
  const { hookSpecificOutput } = JSON.parse(stdout);
  expect(hookSpecificOutput.permissionDecision).toBe('deny');
  return hookSpecificOutput.permissionDecisionReason;
}

async function kinds(): Promise<string[]> {
  const query = { limit: 1_000 };
  const { entries } = await workspace.client().call('GET /v1/entries', { query });
  return entries.filter(({ actor }) => actor === 'agent:coder').map(({ kind }) => kind);
}

// proves: hooks.gate
describe('a tool call of a coding agent', () => {
  test('that the policy allows runs, and its end is recorded', async () => {
    const call = shell('ls src');
    expect(await hook(call)).toMatchObject({ code: 0, stdout: '' });
    expect(readdirSync(join(workspace.place.state, 'hooks', 'calls'))).toHaveLength(1);
    // A harness that asks again about the same call gets the same answer.
    expect(await hook(call)).toMatchObject({ code: 0, stdout: '' });
    expect(await hook(endOf(call))).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await kinds()).toEqual(['proposal-granted', 'proposal-executing', 'proposal-committed']);
    expect(readdirSync(join(workspace.place.state, 'hooks', 'calls'))).toEqual([]);
    expect(reasonOf(await hook(call))).toContain('executed already');
  });

  test('that the policy denies is answered with a remedy', async () => {
    const reason = reasonOf(await hook(shell('sh -c "touch /srv/elsewhere"')));
    expect(reason).toContain('it writes outside of the project: /srv/elsewhere');
    expect(reason).toContain('Write only below: ., /tmp.');
    expect(await kinds()).toContain('proposal-denied');
  });

  test('that changes its own hooks is denied', async () => {
    const input = { file_path: join(workspace.root, '.claude', 'settings.json'), content: '{}' };
    const edit = { ...shell(''), tool_name: 'Write', tool_input: input };
    expect(reasonOf(await hook(edit))).toContain('it changes the hooks of the harness');
  });

  test('that is held runs after a person approved it', async () => {
    const reason = reasonOf(await hook(shell('curl https://elsewhere.test/x')));
    expect(reason).toContain('elsewhere.test');
    const [, approval = ''] = /surety approve (\S+?)\./.exec(reason) ?? [];
    await workspace.run('approve', approval, '--yes');
    expect(await hook(shell('curl https://elsewhere.test/x'))).toMatchObject({ stdout: '' });
  });

  test('of each of two harnesses in one directory has a grant of its own', async () => {
    const [one, other] = [shell('ls src'), { ...shell('ls src'), session_id: 'another' }];
    const begun = await Promise.all([hook(one), hook(other)]);
    expect(begun).toMatchObject([{ stdout: '' }, { stdout: '' }]);
    const ended = await Promise.all([hook(endOf(one)), hook(endOf(other))]);
    expect(ended).toMatchObject([{ code: 0 }, { code: 0 }]);
  });

  test('that began under an older policy is recorded when it ends', async () => {
    const call = shell('ls lib');
    expect(await hook(call)).toMatchObject({ stdout: '' });
    const file = join(workspace.root, 'policy.yaml');
    writeFileSync(file, `${policy('enforce')}coding: { rules: { unconfined: deny } }\n`);
    await until('the policy is in force', async () => {
      const { stdout } = await hook(shell('ls'));
      return stdout.includes('surety exec');
    });
    expect(await hook(endOf(call))).toMatchObject({ code: 0, stderr: '' });
    expect((await kinds()).at(-1)).toBe('proposal-committed');
    expect(await hook(shell('surety exec -- ls'))).toMatchObject({ stdout: '' });
    writeFileSync(file, policy('enforce'));
    await until('the policy is in force', async () => (await hook(shell('ls'))).stdout === '');
  });

  test('whose hook is killed before it answers can be made again', async () => {
    const call = shell('ls tests');
    const words = ['hook', '--harness', 'claude', '--agent', 'coder', '-C', workspace.root];
    const child = spawn(process.execPath, [suretyProgram, ...words]);
    child.stdin.write(JSON.stringify(call).slice(0, 20));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('close', resolve));
    expect(await hook(call)).toMatchObject({ code: 0, stdout: '' });
  });

  test('that nobody can judge is refused with a remedy', async () => {
    const { code, stderr } = await hook(shell('ls \0'));
    expect(code).toBe(2);
    expect(stderr).toContain('NUL');
  });

  test('that no hook decided about is told when it ends', async () => {
    const { code, stderr } = await hook(endOf(shell('ls')));
    expect(code).not.toBe(0);
    expect(stderr).toContain('surety hook status');
  });
});

// proves: hooks.undo
test('hook add keeps a backup, and hook remove restores every byte', async () => {
  const file = join(workspace.root, '.claude', 'settings.json');
  const before = '{\n  // mine\n  "model":   "x",\n}\n';
  mkdirSync(join(workspace.root, '.claude'));
  writeFileSync(file, before);
  const { backup } = await workspace.run('hook', 'add', 'claude', '--agent', 'coder', '--yes');
  expect(readFileSync(String(backup), 'utf8')).toBe(before);
  expect(readFileSync(file, 'utf8')).toContain('--agent coder');
  expect((await workspace.surety('hook', 'status', 'claude')).code).toBe(0);
  await workspace.run('hook', 'remove', 'claude', '--yes');
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect((await workspace.surety('hook', 'status', 'claude')).code).toBe(1);
  await workspace.run('hook', 'add', 'gemini', '--agent', 'coder', '--yes');
  await workspace.run('hook', 'remove', 'gemini', '--yes');
  expect(readdirSync(join(workspace.root, '.gemini'))).toEqual([]);
});

// proves: hooks.observe
test('in observe mode a call runs, and the ledger says what would have been', async () => {
  writeFileSync(join(workspace.root, 'policy.yaml'), policy('observe'));
  await until('the policy is in force', async () => {
    const { stdout } = await hook(shell('touch /srv/elsewhere'));
    return stdout === '';
  });
  const query = { limit: 1_000 };
  const { entries } = await workspace.client().call('GET /v1/entries', { query });
  const observed = entries.filter(({ body }) => body.wouldBe === 'deny');
  expect(observed[0]?.body.rules).toEqual(['coding/write-outside']);
});

test('surety exec runs a command that cannot write outside of the project', async () => {
  const beside = join(workspace.root, '..', `surety-beside-${process.pid}`);
  const made = join(workspace.root, 'made');
  // It has a /tmp of its own, so the file beside the project is made there.
  await workspace.surety('exec', `touch ${made}; touch ${beside}`);
  expect(existsSync(made)).toBe(true);
  expect(existsSync(beside)).toBe(false);
});

// proves: hooks.closed
test('without a daemon a call is refused, unless the hook fails open', async () => {
  await workspace.run('down');
  expect(reasonOf(await hook(shell('ls')))).toContain('surety up');
  expect(await hook(shell('ls'), '--fail-open')).toMatchObject({ code: 0, stdout: '' });
});
