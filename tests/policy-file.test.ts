import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAgent } from './harness/mcp/agent-token.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const config = 'policy: policy.yaml\nagents:\n  ada: { tools: [] }\n';

const policy = `version: 1
include: [./tools.yaml]
agents:
  ada: { tools: [echo] }
`;

const tools = `version: 1
tools:
  # Says what it is told.
  echo:
    effect: read
    arguments: {type: object, properties: {text: {type: string, maxLength: 20}}}
    run: {command: [cat]}
`;

const write = (workspace: Workspace, text: string, file = 'policy.yaml'): void =>
  writeFileSync(join(workspace.root, file), text);

const echo = (workspace: Workspace) =>
  asAgent(workspace, 'ada').call('POST /v1/proposals', {
    body: { tool: 'echo', arguments: { text: 'hello' } },
  });

interface Shown {
  readonly hash: string | null;
  readonly problem: { readonly reason: string } | null;
}

const show = async (workspace: Workspace): Promise<Shown> =>
  (await workspace.surety('policy', 'show')).value as unknown as Shown;

async function kinds(workspace: Workspace): Promise<string[]> {
  const { entries } = await workspace.client().call('GET /v1/entries', { query: { limit: 1_000 } });
  return entries.map(({ kind, body }) => `${kind}${body.kept ? ' kept' : ''}`);
}

describe('a policy file', () => {
  let workspace: Workspace;
  beforeAll(() => {
    workspace = new Workspace({ config });
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  /** A running daemon with this policy in force, whatever was before. */
  async function enforce(text: string): Promise<void> {
    write(workspace, text);
    write(workspace, tools, 'tools.yaml');
    await workspace.up();
    const { hash } = await workspace.run('policy', 'check');
    await until('it is in force', async () => (await show(workspace)).hash === hash);
  }

  // proves: gate.last-good
  test('that becomes invalid leaves the last valid policy in force and is reported', async () => {
    await enforce(policy);
    expect(await echo(workspace)).toMatchObject({ status: 'committed', mode: 'enforce' });
    const before = await show(workspace);

    write(workspace, `${policy}agnets: {}\n`);
    const { problem } = await until('it is rejected', async () => {
      const shown = await show(workspace);
      return shown.problem && shown;
    });
    expect(problem?.reason).toContain('did you mean "agents"?');
    expect(await echo(workspace)).toMatchObject({ status: 'committed' });
    expect(await workspace.surety('policy', 'show')).toMatchObject({
      code: 1,
      value: { hash: before.hash },
    });
    expect(await workspace.run('status')).toMatchObject({
      policy: { hash: before.hash, problem: expect.stringContaining('policy.yaml:5:1') },
    });
    expect(await kinds(workspace)).toContain('policy-rejected kept');
    expect(readFileSync(join(workspace.place.logs, 'daemon.log'), 'utf8')).toContain(
      'policy-rejected',
    );
    expect(await workspace.surety('policy', 'check')).toMatchObject({ code: 2 });

    write(workspace, policy);
    await until('it is well again', async () => (await show(workspace)).problem === null);
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  });

  test('that is invalid at startup puts no policy in force', async () => {
    await enforce(policy);
    expect(await echo(workspace)).toMatchObject({ status: 'committed' });
    await workspace.run('down');

    write(workspace, 'version: 2\n');
    expect((await workspace.surety('up')).code).toBe(1);
    expect(await show(workspace)).toMatchObject({ hash: null });
    await expect(echo(workspace)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    expect(await workspace.run('status')).toMatchObject({ policy: { hash: null } });

    write(workspace, policy);
    await until('it is adopted', async () => (await show(workspace)).hash);
    expect(await echo(workspace)).toMatchObject({ status: 'committed' });
    expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  });

  // proves: gate.enforce
  test('switches between observe and enforce, as a whole or tool by tool', async () => {
    await enforce(policy.replace('[echo]', '[]'));
    await expect(echo(workspace)).rejects.toMatchObject({
      code: 'PROPOSAL_DENIED',
      details: { mode: 'enforce' },
    });

    expect(await workspace.run('policy', 'observe', 'echo')).toMatchObject({
      adopted: true,
      changes: [{ line: 5, key: 'tools.echo.mode', after: 'observe' }],
    });
    expect(await echo(workspace)).toMatchObject({ status: 'committed', mode: 'observe' });
    expect(readFileSync(join(workspace.root, 'tools.yaml'), 'utf8')).toBe(
      tools.replace('    effect', '    mode: observe\n    effect'),
    );
    expect(await workspace.run('proposals', '--observed')).toMatchObject({
      observed: [{ tool: 'echo', wouldBe: 'deny', rules: ['policy.tools'] }],
    });

    expect(await workspace.run('policy', 'enforce')).toMatchObject({
      adopted: true,
      changes: [
        { key: 'mode', after: 'enforce' },
        { key: 'tools.echo.mode', before: 'observe', after: 'enforce' },
      ],
    });
    await expect(echo(workspace)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    expect(await workspace.surety('policy', 'enforce', 'ecko')).toMatchObject({
      code: 1,
      value: { fault: { code: 'POLICY_NOT_HERE', message: expect.stringContaining('echo') } },
    });
  });

  test('is adopted again when an included file changes', async () => {
    await enforce(policy);
    const { hash } = await show(workspace);
    write(workspace, tools.replace('maxLength: 20', 'maxLength: 3'), 'tools.yaml');
    await until('it is adopted', async () => (await show(workspace)).hash !== hash);
    await expect(echo(workspace)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
  });
});
