import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gateLimits } from '../src/gate/limits.ts';
import type { Fault } from '../src/kernel/index.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

/** `pay` echoes its arguments; `stall` ends without an answer, so that its outcome is in doubt. */
const policy = `version: 1
tools:
  look:
    effect: read
    arguments: {type: object, required: [id], properties: {id: {type: string, maxLength: 20}}}
    run: {command: [cat]}
    produces: [{evidence: looked, subject: arguments.id}]
  pay:
    description: Pays.
    effect: mutating
    arguments: {type: object, required: [id, amount], properties: {id: {type: string, maxLength: 20}, amount: {type: integer, minimum: 1}}}
    run: {command: [cat]}
    reads: {it: {tool: look, with: {id: arguments.id}}}
    preconditions: [{rule: known, that: reads.it.id == arguments.id, message: Nobody knows it., remedy: Use one that exists.}]
    invariants: [{rule: small, that: arguments.amount <= 1000}]
    governance:
      cost: {money: arguments.amount}
      evidence: [{kind: looked, subject: arguments.id, freshFor: 10m}]
      approval: {when: arguments.amount > 100, role: approver, within: 1h}
  stall:
    effect: mutating
    arguments: {type: object}
    run: {command: [sh, -c, "kill -9 $$"]}
    recovery: {steps: [{hold: {reason: look at it}}]}
agents:
  ada: {tools: [look, pay, stall], budgets: [{dimension: money, limit: 2000, per: 1d}]}
  bob: {tools: [look]}
`;

let workspace: Workspace;

beforeAll(async () => {
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  writeFileSync(join(workspace.root, 'policy.yaml'), policy);
  await workspace.up();
});
afterAll(() => workspace[Symbol.asyncDispose]());

const propose = (tool: string, given: object, agent = 'ada') =>
  asAgent(workspace, agent).call('POST /v1/proposals', {
    body: { tool, arguments: given as Record<string, never> },
  });

async function refused(tool: string, given: object): Promise<Fault> {
  return propose(tool, given).then(
    () => {
      throw new Error(`${tool} was not refused`);
    },
    (error) => error,
  );
}

const file = (name: string, text: string): string => {
  const path = join(workspace.root, name);
  writeFileSync(path, text);
  return path;
};

describe('contracts', () => {
  test('are listed and shown in full', async () => {
    expect(await workspace.run('contracts')).toMatchObject({
      mode: 'enforce',
      contracts: [{ tool: 'look' }, { tool: 'pay', effect: 'mutating' }, { tool: 'stall' }],
    });
    expect(await workspace.run('contracts', 'show', 'pay')).toMatchObject({
      tool: 'pay',
      agents: ['ada'],
      document: {
        reads: { it: { tool: 'look' } },
        governance: { cost: { money: expect.any(String) } },
      },
    });
    expect(await workspace.surety('contracts', 'show', 'none')).toMatchObject({
      code: 1,
      value: { fault: { code: 'NOT_FOUND' } },
    });
  });

  test('of other agents are not shown to an agent', async () => {
    const bob = asAgent(workspace, 'bob');
    const path = { tool: 'pay' };
    await expect(bob.call('GET /v1/contracts/{tool}', { path })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('a proposal', () => {
  test('that was denied is explained with every rule, value and remedy', async () => {
    const { details } = await refused('pay', { id: 'x', amount: 1_001 });
    const explained = await workspace.run('explain', String(details?.proposal));
    expect(explained).toMatchObject({
      decision: 'deny',
      status: 'denied',
      arguments: { id: 'x', amount: 1_001 },
    });
    const { said } = explained as { said: { rule: string; remedy: string; values?: object }[] };
    expect(said.map(({ rule }) => rule)).toEqual(['pay/small', 'evidence/looked', 'approval']);
    expect(said[0]?.values).toEqual({ 'arguments.amount': 1_001 });
    expect(said[1]?.remedy).toBe('Call look first.');
  });

  test('that was granted is explained with its charges', async () => {
    await propose('look', { id: 'a' });
    const { proposal } = (await propose('pay', { id: 'a', amount: 10 })) as { proposal: string };
    expect(await workspace.run('explain', proposal)).toMatchObject({
      decision: 'allow',
      status: 'committed',
      charges: [{ account: 'account/agent:ada', amount: 10 }],
      history: [{ kind: 'proposal-granted' }, { kind: 'proposal-committed' }],
    });
    const { budgets } = (await workspace.run('budgets')) as { budgets: { spent: number }[] };
    expect(budgets).toMatchObject([{ account: 'agent:ada', limit: 2_000, spent: 10, free: 1_990 }]);
  });

  test('with an unknown outcome is listed and resolved by a person', async () => {
    const answer = (await propose('stall', {})) as { status: string; proposal: string };
    expect(answer.status).toBe('unknown');
    await until('it waits for a person', async () => {
      const { value } = await workspace.surety('proposals');
      return (value.proposals as unknown[]).length === 1;
    });
    expect(await workspace.surety('resolve', answer.proposal)).toMatchObject({ code: 2 });
    const told = ['--as', 'failed', '--reason', 'nothing happened'];
    expect(await workspace.run('resolve', answer.proposal, ...told)).toMatchObject({
      status: 'failed',
    });
    expect(await workspace.run('proposals')).toEqual({ proposals: [] });
  });
});

describe('an approval', () => {
  async function hold(id: string): Promise<Fault> {
    await propose('look', { id });
    return refused('pay', { id, amount: 500 });
  }

  test('is for exactly the shown arguments, once', async () => {
    const held = await hold('h1');
    expect(held).toMatchObject({ code: 'PROPOSAL_HELD', details: { mode: 'enforce' } });
    const approval = String(held.details?.approval);
    expect(await workspace.run('approvals')).toMatchObject({
      approvals: [{ approval, status: 'waiting', arguments: { id: 'h1', amount: 500 } }],
    });
    expect(await workspace.surety('approve', approval)).toMatchObject({
      code: 2,
      value: { fault: { message: expect.stringContaining('--yes or --hash') } },
    });
    expect(await workspace.surety('approve', approval, '--hash', 'f'.repeat(64))).toMatchObject({
      code: 1,
      value: { fault: { code: 'APPROVAL_OTHER_ARGUMENTS' } },
    });
    // follows: APPROVAL_OTHER_ARGUMENTS
    const hash = String(held.details?.argumentsHash);
    expect(await workspace.run('approve', approval, '--hash', hash)).toMatchObject({
      approved: true,
      status: 'approved',
    });
    expect(await propose('pay', { id: 'h1', amount: 500 })).toMatchObject({ status: 'committed' });
    expect((await refused('pay', { id: 'h1', amount: 500 })).code).toBe('PROPOSAL_HELD');
  });

  test('is refused with a reason that the agent reads', async () => {
    const held = await hold('h2');
    const approval = String(held.details?.approval);
    expect(await workspace.surety('refuse', approval)).toMatchObject({ code: 2 });
    await workspace.run('refuse', approval, '--reason', 'not today');
    expect(await workspace.run('approvals', approval)).toMatchObject({ status: 'refused' });
    expect((await refused('pay', { id: 'h2', amount: 500 })).message).toContain('not today');
  });
});

test('a stop stays in force until it is lifted', async () => {
  await workspace.run('stop', 'tool:look', '--reason', 'INC-81');
  expect(await workspace.run('stops')).toMatchObject({ stops: [{ scope: 'tool:look' }] });
  expect((await refused('look', { id: 'a' })).message).toContain('INC-81');
  expect(await workspace.surety('stop', '--lift', 'agent:x', '--reason', 'y')).toMatchObject({
    code: 1,
  });
  await workspace.run('stop', '--lift', 'tool:look', '--reason', 'over');
  expect(await propose('look', { id: 'a' })).toMatchObject({ status: 'committed' });
  await workspace.run('stop', '--reason', 'everything');
  expect((await refused('look', { id: 'a' })).message).toContain('everything');
  await workspace.run('stop', '--lift', 'workspace', '--reason', 'over');
});

describe('a plan', () => {
  const steps = [
    { tool: 'look', arguments: { id: 'p1' } },
    { tool: 'pay', arguments: { id: 'p1', amount: 50 } },
  ];

  test('is judged for an agent before anything runs', async () => {
    const good = file('plan.json', JSON.stringify(steps));
    expect(await workspace.run('plan', 'check', good, '--agent', 'ada')).toMatchObject({
      ok: true,
      steps: [{ verdict: 'allow', mode: 'enforce' }, { verdict: 'allow' }],
    });
    const bad = file('plan.json', JSON.stringify(steps.toReversed()));
    expect(await workspace.surety('plan', 'check', bad, '--agent', 'ada')).toMatchObject({
      code: 1,
      value: { ok: false, steps: [{ verdict: 'deny', said: [{ rule: 'evidence/looked' }] }, {}] },
    });
  });

  test.each([
    ['does not exist', 'none.json', undefined, 'USAGE'],
    ['is not JSON', 'plan.json', '{', 'JSON_INVALID'],
    ['has no steps', 'plan.json', '[]', 'USAGE'],
    ['has an unknown field', 'plan.json', '[{"tool": "look", "with": {}}]', 'REQUEST_INVALID'],
  ])('that %s is refused', async (_, name, text, code) => {
    const path = text === undefined ? join(workspace.root, name) : file(name, text);
    expect(await workspace.surety('plan', 'check', path)).toMatchObject({
      code: 2,
      value: { fault: { code } },
    });
  });

  test('of another agent is not shown to an agent', async () => {
    const bob = asAgent(workspace, 'bob');
    expect(await bob.call('POST /v1/plans/check', { body: { steps } })).toMatchObject({
      ok: false,
    });
    const body = { steps, agent: 'ada' };
    await expect(bob.call('POST /v1/plans/check', { body })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test(`has at most ${gateLimits.planStepsMax} steps`, async () => {
    const ada = asAgent(workspace, 'ada');
    const plan = (length: number) =>
      Array.from({ length }, () => ({ tool: 'none', arguments: {} }));
    const last = await ada.call('POST /v1/plans/check', {
      body: { steps: plan(gateLimits.planStepsMax) },
    });
    expect(last.steps).toHaveLength(gateLimits.planStepsMax);
    const body = { steps: plan(gateLimits.planStepsMax + 1) };
    await expect(ada.call('POST /v1/plans/check', { body })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });
});

describe('a candidate policy', () => {
  // proves: gate.policy-diff
  test('is replayed against recorded decisions', async () => {
    const stricter = file(
      'new.yaml',
      policy.replace('arguments.amount <= 1000', 'arguments.amount <= 5'),
    );
    const changed = await workspace.run('policy', 'diff', stricter);
    expect(changed).toMatchObject({ changes: { 'allow → deny': 2 } });
    const { differences } = changed as { differences: { tool: string; now: string }[] };
    expect(differences[0]).toMatchObject({ tool: 'pay', change: 'allow → deny' });
    expect(await workspace.run('policy', 'diff', stricter, '--since', '2000-01-01')).toMatchObject({
      changes: { 'allow → deny': 2 },
    });
    expect(await workspace.run('policy', 'diff', stricter, '--since', '1ms')).toMatchObject({
      decisions: 0,
    });
    expect(await workspace.surety('policy', 'diff', stricter, '--since', 'ages')).toMatchObject({
      code: 2,
    });
  });

  test('that needs reads nobody recorded is not replayed against them', async () => {
    const read = '    reads: {x: {tool: look, with: {id: \'"a"\'}}}\n    run: {command: [sh';
    const curious = file('new.yaml', policy.replace('    run: {command: [sh', read));
    expect(await workspace.run('policy', 'diff', curious)).toMatchObject({
      unread: 1,
      different: 0,
    });
  });

  test('is checked, and its cases are run', async () => {
    const loose = file('loose.yaml', `${policy}  eve: {tools: [nothing.here]}\n`);
    expect(await workspace.surety('policy', 'check', loose)).toMatchObject({ code: 2 });
    expect(await workspace.run('policy', 'check')).toMatchObject({ ok: true });
    const pay = 'actor: agent:ada, tool: pay, arguments: {id: a, amount: 10}, reads: {it: {id: a}}';
    const seen = 'evidence: [{kind: looked, subject: a}]';
    file('policy.cases.yaml', `cases:\n  - {name: it pays, ${pay}, ${seen}, expect: allow}\n`);
    expect(await workspace.run('policy', 'test')).toMatchObject({
      ok: true,
      cases: [{ ok: true }],
    });
    const wrong = file('wrong.yaml', `cases:\n  - {name: it pays, ${pay}, expect: allow}\n`);
    expect(await workspace.surety('policy', 'test', '--cases', wrong)).toMatchObject({
      code: 1,
      value: { ok: false, cases: [{ line: 2, got: { rules: ['evidence/looked'] } }] },
    });
  });

  test('is drafted from recorded calls and overwrites no file', async () => {
    const drafted = await workspace.run('policy', 'draft');
    expect(drafted).toMatchObject({ file: null, agents: ['ada'] });
    const taken = join(workspace.root, 'policy.yaml');
    expect(await workspace.surety('policy', 'draft', '--output', taken)).toMatchObject({
      value: { fault: { code: 'FILE_EXISTS' } },
    });
    const output = join(workspace.root, 'drafted.yaml');
    await workspace.run('policy', 'draft', '--output', output);
    expect((await workspace.surety('policy', 'check', output)).value).toMatchObject({
      tools: 3,
      agents: 1,
    });
  });
});

test('replay makes every decision of the test again', async () => {
  expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
});
