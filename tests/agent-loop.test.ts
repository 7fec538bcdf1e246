import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { mcpCommand } from './harness/mcp/agent-client.ts';
import { git } from './harness/systems/small-system.ts';
import { makeTradingSystem } from './harness/systems/trading-system.ts';
import type { Workspace } from './harness/workspace.ts';
import { workspaceVariable } from './harness/workspace-processes.ts';

const program = fileURLToPath(new URL('../examples/trading/agent/main.ts', import.meta.url));

type Line = Record<string, unknown>;

/** Runs the agent to its end; what it printed, line by line. */
function runAgent(workspace: Workspace): Promise<{ code: number; lines: Line[] }> {
  const SURETY_MCP = JSON.stringify(mcpCommand(workspace, 'coder'));
  const env = { ...process.env, SURETY_MCP, [workspaceVariable]: workspace.root };
  const { promise, resolve } = Promise.withResolvers<{ code: number; lines: Line[] }>();
  execFile(process.execPath, [program, '--json'], { cwd: workspace.root, env }, (error, stdout) => {
    const lines = stdout.trim().split('\n');
    resolve({ code: Number(error?.code ?? 0), lines: lines.map((line) => JSON.parse(line)) });
  });
  return promise;
}

/** What the ledger says about the task, in order. */
async function storyOf(workspace: Workspace): Promise<string[]> {
  const { entries } = await workspace.client().call('GET /v1/entries', { query: { limit: 1_000 } });
  const told: Record<string, (body: Line) => unknown> = {
    'task-opened': () => '',
    'proposal-denied': ({ tool }) => tool,
    'test-proven': () => '',
    'change-admitted': ({ services }) => services,
    'verdict-reached': ({ verdict }) => verdict,
    'change-promoted': ({ services }) => services,
  };
  return entries.flatMap(({ kind, body }) => {
    const tell = told[kind];
    return tell ? [`${kind} ${tell(body)}`.trim()] : [];
  });
}

async function displayAmount(port: number): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/trades`, {
    method: 'POST',
    headers: { authorization: 'Bearer trader-token' },
    body: JSON.stringify({ symbol: 'ACME', side: 'buy', quantity: 100, counterparty: 'BANK-9' }),
  });
  return ((await response.json()) as Line).displayAmount;
}

describe.runIf(isDeep)('an agent that only follows the answers of Surety', () => {
  test('is denied, submits a failing test, fails, repairs by the findings, passes and promotes', async () => {
    await using workspace = await makeTradingSystem();
    await workspace.up();
    await workspace.run('system', 'up');
    const { services } = await workspace.client().call('GET /v1/system', {});
    const port = services.find(({ service }) => service === 'edge')?.port ?? 0;
    expect(await displayAmount(port)).toBeUndefined();

    const { code, lines } = await runAgent(workspace);

    expect(lines.at(-1)).toMatchObject({ reached: true });
    expect(code).toBe(0);
    expect(lines.slice(0, -1).map(({ tool, refused }) => [tool, refused])).toEqual([
      ['open_task', false],
      ['propose_change', true],
      ['submit_test', false],
      ['propose_change', false],
      ['verify_change', false],
      ['propose_change', false],
      ['verify_change', false],
      ['promote_change', false],
    ]);
    const [failed, passed] = lines.filter(({ tool }) => tool === 'verify_change');
    expect(failed).toMatchObject({
      verdict: 'fail',
      told: expect.stringMatching(/pricing → validation .* field amount: number → string/),
    });
    expect(failed?.told).toContain('trade-flow: a trade of 15,000 is flagged as high-value');
    expect(passed).toMatchObject({ verdict: 'pass' });

    expect(await storyOf(workspace)).toEqual([
      'task-opened',
      'proposal-denied change.propose',
      'test-proven',
      'change-admitted pricing',
      'verdict-reached fail',
      'change-admitted pricing',
      'verdict-reached pass',
      'change-promoted pricing',
    ]);
    expect(await displayAmount(port)).toBe('15,000.00');
    expect(git(workspace.root, 'status', '--porcelain')).toBe('');
    expect(await workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  });
});
