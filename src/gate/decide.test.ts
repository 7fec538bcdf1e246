import { describe, expect, test } from 'vitest';
import { type DecisionInputs, decide } from './decide.ts';
import type { Phase, TaskRow } from './task.ts';

const policy = {
  hash: 'h',
  agents: { coder: { tools: ['test.submit', 'change.propose', 'task.verify', 'change.promote'] } },
};

const task: TaskRow = {
  task: 'task_1',
  agent: 'agent:coder',
  base: 'b1',
  phase: 'red',
  repairs: 0,
  test: null,
  testSeq: 0,
  change: 'chg_1',
  changeSeq: 0,
  verdict: null,
};

function ask(tool: string, more: Partial<TaskRow> | null, facts = {}, actor = 'agent:coder') {
  const inputs: DecisionInputs = { policy, task: more && { ...task, ...more } };
  const decision = decide({ actor, tool, facts }, inputs);
  return decision.verdict === 'allow' ? 'allow' : `${decision.rule}: ${decision.reason}`;
}

describe('the gate', () => {
  // proves: gate.pure
  test('gives the same decision for the same input', () => {
    const inputs = { policy, task };
    const proposal = { actor: 'agent:coder', tool: 'change.propose', facts: {} };
    expect(decide(proposal, inputs)).toEqual(decide(proposal, structuredClone(inputs)));
  });

  test.each<[string, string, string]>([
    ['agent:coder', 'payments.refund', 'policy.tools: no policy gives it to this agent'],
    ['agent:stranger', 'test.submit', 'policy.tools: no policy gives it to this agent'],
    ['person:ada', 'system.up', 'allow'],
    ['surety:lanes', 'lane.close', 'allow'],
  ])('%s asking for %s: %s', (actor, tool, answer) => {
    expect(ask(tool, null, {}, actor)).toBe(answer);
  });

  const tools = {
    red: 'test.submit',
    change: 'change.propose',
    verify: 'task.verify',
    promote: 'change.promote',
  };
  const phases: Phase[] = ['red', 'change', 'verify', 'promote', 'held', 'done'];
  test.each(phases)('in phase %s only that step is allowed', (phase) => {
    for (const [due, tool] of Object.entries(tools)) {
      const answer = ask(tool, { phase }, { change: 'chg_1', base: 'b1' });
      expect([tool, answer === 'allow']).toEqual([tool, due === phase]);
    }
  });

  test.each<[string, string, Partial<TaskRow> | null, object, string]>([
    ['without a task', 'change.propose', null, {}, 'task.needed: it belongs to a task'],
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
      'task.base: it is not on the version that the task is about',
    ],
    [
      'of a change that was not admitted',
      'task.verify',
      { phase: 'verify' },
      { change: 'chg_2' },
      'task.change: it is not the change that was admitted',
    ],
    [
      'of another change than the one that passed',
      'change.promote',
      { phase: 'promote' },
      { change: 'chg_2' },
      'task.change: it is not the change that was admitted',
    ],
    [
      'on somebody else’s task',
      'test.submit',
      { agent: 'agent:other' },
      {},
      'task.owner: the task belongs to agent:other',
    ],
  ])('refuses a step %s', (_, tool, row, facts, answer) => {
    expect(ask(tool, row, facts)).toBe(answer);
  });

  test('keeps to the phases for people, too', () => {
    const mine = { agent: 'person:ada', phase: 'red' as const };
    expect(ask('change.promote', mine, { change: 'chg_1' }, 'person:ada')).toContain('task.phase');
  });

  test('every refusal says what would make it pass', () => {
    const decision = decide(
      { actor: 'agent:coder', tool: 'change.propose', facts: {} },
      { policy, task },
    );
    expect(decision).toMatchObject({ remedy: expect.stringContaining('test.submit') });
  });
});
