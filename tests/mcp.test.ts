import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools as ownTools } from '../src/mcp/tools/index.ts';
import { agentTokenFile } from '../src/runtime/identities.ts';
import { AgentClient } from './harness/mcp/agent-client.ts';
import { git } from './harness/systems/small-system.ts';
import { makeJudgedSystem } from './harness/systems/task-walk.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const policy = `
tests: { command: node }
agents:
  coder: { tools: [task.open, test.submit, change.propose, task.verify, change.promote] }
`;

/** Sees through the front which version the back has. */
const testOf = (version: string) => `
const response = await fetch(process.env.BASE_URL, { headers: JSON.parse(process.env.HEADERS) });
const { next } = await response.json();
const passed = next.version === '${version}';
const line = { check: 'the back is new', passed, expected: '${version}', actual: next.version };
process.stdout.write(JSON.stringify(line) + '\\n');
process.exitCode = passed ? 0 : 1;
`;

function patchOf({ root }: Workspace): string {
  const file = join(root, 'back.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace("'one'", "'two'"));
  const patch = git(root, 'diff', '--', 'back.mjs');
  git(root, 'checkout', '--quiet', '--', 'back.mjs');
  return patch;
}

describe('surety mcp', () => {
  test.each(['legacy', 'auto'] as const)('lists its tools to a %s client', async (mode) => {
    await using workspace = new Workspace();
    await using agent = await AgentClient.connect(workspace, 'coder', mode);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(ownTools));
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/\w{3}/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
    expect(agent.strayOutput).toEqual([]);
  });

  test('starts without a daemon, finds it later, and names an agent that it does not know', async () => {
    await using workspace = new Workspace({ config: policy });
    await using coder = await AgentClient.connect(workspace, 'coder');
    expect(await coder.call('get_task', { task: 'task_none' })).toMatchObject({
      refused: true,
      value: {
        code: 'DAEMON_NOT_RUNNING',
        retryable: true,
        remedy: 'You cannot do this yourself. Ask an operator: Start it: surety up',
      },
    });
    await workspace.up();
    const missing = await coder.call('get_task', { task: 'task_none' });
    expect(missing).toMatchObject({ refused: true, value: { code: 'TASK_UNKNOWN' } });
    expect(missing.text).toContain('open_task');

    await using nobody = await AgentClient.connect(workspace, 'nobody');
    const unknown = await nobody.call('open_task', { goal: 'a better system' });
    expect(unknown).toMatchObject({ refused: true, value: { retryable: false } });
    expect(unknown.text).toMatch(/No agent "nobody" is known here\.\n.*agents in surety\.yaml/);

    // As it is for one who was taken out of the policy: the file stays, and opens nothing.
    writeFileSync(agentTokenFile(workspace.place, 'nobody'), 'old\n', { mode: 0o600 });
    expect((await nobody.call('open_task', { goal: 'a better system' })).text).toBe(unknown.text);
  });

  test.each([[[]], [['--agent', '../token']], [['--agent', '']]])(
    'reports wrong usage with a remedy: %j',
    async (words) => {
      await using workspace = new Workspace();
      const { code, value } = await workspace.surety('mcp', ...words);
      expect([code, value.fault]).toMatchObject([
        2,
        { code: 'USAGE', remedy: expect.stringContaining('mcp --help') },
      ]);
    },
  );
});

describe('an agent over MCP', () => {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = (await makeJudgedSystem()).workspace;
    await workspace.up();
    await workspace.run('system', 'up');
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  test('may abort a call and continue with the next one', async () => {
    await using agent = await AgentClient.connect(workspace, 'coder');
    const { value } = await agent.call('open_task', { goal: 'a new back' });
    const task = String(value.task);
    await using gate = await openGate();
    const code = patientTest(gate.url);
    const giveUp = new AbortController();
    const call = agent.call('submit_test', { task, path: 'patient.mjs', code }, giveUp.signal);
    const ended = call.catch((error: Error) => error);
    await until('the test runs', () => gate.isAwaited());
    giveUp.abort();
    expect(await ended).toBeInstanceOf(Error);
    expect(await agent.call('get_task', { task })).toMatchObject({
      value: { change: { phase: 'red' } },
    });
    gate.open();
    await until('the test has ended', async () =>
      (await kindsOf(workspace)).has('proposal-failed'),
    );
    expect(agent.strayOutput).toEqual([]);
  });

  test('learns from each denial what to do next, up to the promotion', async () => {
    await using agent = await AgentClient.connect(workspace, 'coder');
    const opened = await agent.call('open_task', { goal: 'a new back' });
    expect(opened).toMatchObject({
      refused: false,
      value: { change: { phase: 'red' }, agent: 'agent:coder' },
    });
    expect(opened.text).toContain('Next: submit_test');
    const task = String(opened.value.task);
    const patch = patchOf(workspace);

    const early = await agent.call('propose_change', { task, patch });
    expect(early).toMatchObject({
      refused: true,
      value: {
        code: 'PROPOSAL_DENIED',
        message: 'agent:coder may not use propose_change: there is no failing test yet.',
        remedy: 'Submit a test that fails on the baseline first: submit_test.',
        retryable: false,
      },
    });
    expect(early.text).toContain(`${early.value.message}\nTry: ${early.value.remedy}`);

    const submit = (version: string) =>
      agent.call('submit_test', { task, path: 'new-back.mjs', code: testOf(version) });
    expect(await submit('one')).toMatchObject({
      refused: true,
      value: { code: 'TEST_DOES_NOT_FAIL' },
    });
    const proven = await submit('two');
    expect(proven).toMatchObject({ refused: false, value: { result: 'failed' } });
    expect(proven.text).toContain('- the back is new: expected "two", got "one"');

    const admitted = await agent.call('propose_change', { task, patch });
    expect(admitted).toMatchObject({ refused: false, value: { services: ['back'] } });
    const verdict = await agent.call('verify_change', { task });
    expect(verdict).toMatchObject({
      refused: false,
      value: { verdict: 'pass', findings: [], findingsOmitted: 0, reach: { proven: true } },
    });
    expect(verdict.text).toContain('Next: promote_change');
    const now = await agent.call('get_task', { task });
    expect(now).toMatchObject({ value: { change: { phase: 'promote', repairs: 0 } } });
    const promoted = await agent.call('promote_change', { task });
    expect(promoted).toMatchObject({ refused: false, value: { services: ['back'] } });
    expect(promoted.text).toContain(String(promoted.value.commit));
    const late = await agent.call('promote_change', { task });
    expect(late.text).toContain('The task is finished. Open a new one: open_task.');
    const ended = await agent.call('get_task', { task });
    expect(ended).toMatchObject({ value: { status: 'closed', change: { phase: 'done' } } });
    expect(agent.strayOutput).toEqual([]);
  });
});

/** Says that it runs, then waits until it may end; it holds, and so it proves nothing. */
/** A server that answers nobody until it is told to. */
async function openGate() {
  const opened = Promise.withResolvers<void>();
  let calls = 0;
  const server = createServer(async (_, response) => {
    calls++;
    await opened.promise;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    isAwaited: () => calls > 0,
    open: () => opened.resolve(),
    async [Symbol.asyncDispose]() {
      opened.resolve();
      server.close();
      server.closeAllConnections();
    },
  };
}

const patientTest = (url: string) => `
await fetch(${JSON.stringify(url)});
process.stdout.write(JSON.stringify({ check: 'it may end', passed: true }) + '\\n');
`;

async function kindsOf(workspace: Workspace): Promise<Set<string>> {
  const { entries } = await workspace.client().call('GET /v1/entries', { query: { limit: 1_000 } });
  return new Set(entries.map(({ kind }) => kind));
}
