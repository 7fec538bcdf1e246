import { describe, expect, test } from 'vitest';
import type { OperationResponse } from '../http/index.ts';
import { formatTask } from './format-task.ts';

type Task = OperationResponse<'GET /v1/tasks/{task}'>;

const plain: Task = {
  task: 'task_1',
  parent: null,
  agent: 'agent:ada',
  status: 'open',
  goal: 'pay order 7',
  tools: ['order.*'],
  resources: null,
  phases: ['look', 'pay'],
  phase: 'look',
  budgets: { money: { limit: 100, spent: 20, reserved: 5, carved: 30, free: 45 } },
  children: 2,
  openProposals: 1,
  expiresAt: 1_700_000_000_000,
  change: null,
  lease: null,
  replacedBy: null,
};

const change: NonNullable<Task['change']> = {
  base: 'abc',
  phase: 'change',
  repairs: 1,
  attempts: [
    { change: 'chg_1', id: 'verdict_1', verdict: 'fail', reason: '1 checks failed', findings: [] },
  ],
  test: 'ev_1',
  testSeq: 7,
  change: null,
  changeSeq: 0,
  verdict: null,
};

describe('formatTask', () => {
  test('shows what the task was given and what is left', () => {
    expect(formatTask(plain)).toEqual({
      value: plain,
      text: [
        'Task task_1, open, phase look of look, pay: "pay order 7".',
        'Tools: order.*.',
        'Budget left: money 45/100.',
        'Ends at 2023-11-14T22:13:20.000Z.',
        'Open tasks that were split off: 2.',
        'Next: finish_task when its goal is reached.',
      ].join('\n'),
    });
  });

  test('says of an ended task that nothing is left to do', () => {
    const { text } = formatTask({ ...plain, status: 'cancelled', goal: null });
    expect(text).toContain('Task task_1, cancelled');
    expect(text).toContain('Next: nothing: it is cancelled.');
  });

  test('names the next step of a task that changes the system', () => {
    const given = { tools: null, budgets: {}, expiresAt: null, phases: [], phase: null };
    expect(formatTask({ ...plain, ...given, change }).text).toBe(
      'Task task_1 on version abc, phase change. Changes that did not pass: 1.\n- chg_1: fail, 1 checks failed. All of it: get_verdict {"verdict": "verdict_1"}.\nNext: propose_change.',
    );
  });
});
