import { describe, expect, test } from 'vitest';
import type { Actor, JsonObject } from '../../kernel/index.ts';
import { MemoryRows } from '../../ledger/index.ts';
import { compilePolicy } from '../language/index.ts';
import type { ChangePhase, ChangeTaskRow, TaskRow } from '../tasks/index.ts';
import { type Decision, decide, prepare } from './decide.ts';

const steps = ['test.submit', 'change.propose', 'task.verify', 'change.promote'];
const policy = compilePolicy({ version: 1, agents: { coder: { tools: steps } } });

const work: ChangeTaskRow = {
  task: 'task_1',
  agent: 'agent:coder',
  base: 'b1',
  phase: 'red',
  repairs: 0,
  attempts: [],
  test: null,
  testSeq: 0,
  change: 'chg_1',
  changeSeq: 0,
  verdict: null,
};

const node: TaskRow = {
  task: 'task_1',
  parent: null,
  path: [],
  agent: 'agent:coder',
  status: 'open',
  tools: null,
  resources: null,
  phases: [],
  phase: null,
  budgets: {},
  children: 0,
  openProposals: 0,
  expiresAt: null,
  openedSeq: 1,
  endedSeq: 0,
};

type Asked = {
  actor: Actor;
  tool: string;
  facts: JsonObject;
  more: Partial<ChangeTaskRow> | null;
  children?: number;
};

function decideOn({ actor, tool, facts, more, children = 0 }: Asked): Decision {
  const rows = new MemoryRows();
  if (more) {
    rows.set('task/task_1', { ...node, agent: more.agent ?? node.agent, children });
    rows.set('task-change/task_1', { ...work, ...more });
  }
  const prepared = prepare({
    actor,
    tool,
    arguments: {},
    argumentsHash: '0'.repeat(64),
    facts,
    task: more ? 'task_1' : undefined,
    key: undefined,
    reported: {},
    policy,
    contract: null,
    agent: policy.agents.get(actor.replace('agent:', '')) ?? null,
    isNative: true,
    reads: {},
    readProblem: null,
  });
  return decide(prepared, rows, 1_000, 'prop_1');
}

function ask(
  tool: string,
  more: Partial<ChangeTaskRow> | null,
  facts: JsonObject = {},
  actor: Actor = 'agent:coder',
): string {
  const { verdict, said } = decideOn({ actor, tool, facts, more });
  return verdict === 'allow' ? 'allow' : `${said[0]?.rule}: ${said[0]?.reason}`;
}

describe('the gate', () => {
  // proves: gate.pure
  test('makes the same decision for the same input', () => {
    const asked = { actor: 'agent:coder', tool: 'change.propose', facts: {}, more: {} } as const;
    expect(decideOn(asked)).toEqual(decideOn(structuredClone(asked)));
  });

  test.each<[Actor, string, string]>([
    [
      'agent:coder',
      'payments.refund',
      'policy.tools: the policy does not grant this tool to the agent',
    ],
    [
      'agent:stranger',
      'test.submit',
      'policy.tools: the policy does not grant this tool to the agent',
    ],
    ['person:ada', 'system.up', 'allow'],
    ['surety:lanes', 'lane.close', 'allow'],
  ])('decides a step of %s who asks for %s: %s', (actor, tool, answer) => {
    expect(ask(tool, null, {}, actor)).toBe(answer);
  });

  const tools = {
    red: 'test.submit',
    change: 'change.propose',
    verify: 'task.verify',
    promote: 'change.promote',
  };
  const phases: ChangePhase[] = ['red', 'change', 'verify', 'promote', 'held', 'done'];
  test.each(phases)('allows only the step of phase %s in that phase', (phase) => {
    for (const [due, tool] of Object.entries(tools)) {
      const answer = ask(tool, { phase }, { change: 'chg_1', base: 'b1' });
      expect([tool, answer === 'allow']).toEqual([tool, due === phase]);
    }
  });

  test.each<[string, string, Partial<ChangeTaskRow> | null, JsonObject, string]>([
    ['without a task', 'change.propose', null, {}, 'task.needed: this step needs a task'],
    [
      'before a failing test',
      'change.propose',
      { phase: 'red' },
      {},
      'task.phase: there is no failing test yet',
    ],
    [
      'on another version',
      'change.propose',
      { phase: 'change' },
      { base: 'b2' },
      'task.base: the change is not based on the version of the task',
    ],
    [
      'of a change that was not admitted',
      'task.verify',
      { phase: 'verify' },
      { change: 'chg_2' },
      'task.change: this is not the change that the task admitted',
    ],
    [
      'of another change than the one that passed',
      'change.promote',
      { phase: 'promote' },
      { change: 'chg_2' },
      'task.change: this is not the change that the task admitted',
    ],
    [
      'on somebody else’s task',
      'test.submit',
      { agent: 'agent:other' },
      {},
      'task.owner: the task belongs to agent:other',
    ],
  ])('denies a step %s', (_, tool, row, facts, answer) => {
    expect(ask(tool, row, facts)).toBe(answer);
  });

  test('enforces the phases for people, too', () => {
    const mine = { agent: 'person:ada', phase: 'red' as const };
    expect(ask('change.promote', mine, { change: 'chg_1' }, 'person:ada')).toContain('task.phase');
  });

  test('says in every denial what would make the step pass', () => {
    const asked = { actor: 'agent:coder', tool: 'change.propose', facts: {}, more: {} } as const;
    const [decision] = decideOn(asked).said;
    expect(decision).toMatchObject({ remedy: expect.stringContaining('test.submit') });
  });
});

test('denies a promotion while child tasks are open', () => {
  const facts = { change: 'chg_1', base: 'b1' };
  const asked = { actor: 'agent:coder', tool: 'change.promote', facts, more: { phase: 'promote' } };
  expect(decideOn({ ...asked, children: 0 } as Asked)).toMatchObject({ verdict: 'allow' });
  expect(decideOn({ ...asked, children: 2 } as Asked)).toMatchObject({
    verdict: 'deny',
    said: [{ rule: 'task.children' }],
  });
});
