import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';
import { gateLimits } from '../limits.ts';
import type { ChangeTaskRow } from './api-schema.ts';
import { changeTaskKey, changeTasks } from './change-task.ts';

/** Applies entries to an empty set of rows, as the ledger would. */
function play(...steps: (readonly [kind: string, body?: JsonObject])[]): ChangeTaskRow | undefined {
  const values = new Map();
  const rows = { get: (key: string) => values.get(key), set: values.set.bind(values) };
  for (const [kind, body = {}] of steps) {
    const entry = { kind, seq: 7, actor: 'agent:coder', body: { task: 'task_1', ...body } };
    changeTasks.apply(rows as never, entry as unknown as Entry);
  }
  return values.get(changeTaskKey('task_1'));
}

const opened = ['task-opened', { base: 'b1' }] as const;
const proven = ['test-proven', { test: 'ev_1' }] as const;
const admitted = ['change-admitted', { change: 'chg_1' }] as const;
const verdict = (value: string, change = 'chg_1') =>
  ['verdict-reached', { verdict: value, id: 'verdict_1', change }] as const;

describe('a task about a change', () => {
  test('moves from the failing test to the promotion', () => {
    expect(play(opened)).toMatchObject({ phase: 'red', agent: 'agent:coder', base: 'b1' });
    expect(play(opened, proven)).toMatchObject({ phase: 'change', test: 'ev_1' });
    expect(play(opened, proven, admitted)).toMatchObject({ phase: 'verify', change: 'chg_1' });
    const passed = play(opened, proven, admitted, verdict('pass'));
    expect(passed).toMatchObject({ phase: 'promote', verdict: 'verdict_1', repairs: 0 });
    const done = play(opened, proven, admitted, verdict('pass'), ['change-promoted']);
    expect(done).toMatchObject({ phase: 'done' });
  });

  test.each(['fail', 'inconclusive'])('moves to repair after a verdict of %s', (value) => {
    const row = play(opened, proven, admitted, verdict(value));
    expect(row).toMatchObject({ phase: 'change', repairs: 1, verdict: null });
  });

  test.each(['pass', 'fail'])('ignores a verdict of %s about another change', (value) => {
    const before = play(opened, proven, admitted);
    expect(play(opened, proven, admitted, verdict(value, 'chg_2'))).toEqual(before);
  });

  test(`needs a person after ${gateLimits.repairsMax} changes that did not pass`, () => {
    const rounds = (count: number) =>
      Array.from({ length: count }, () => [admitted, verdict('fail')]).flat();
    expect(play(opened, proven, ...rounds(gateLimits.repairsMax - 1))).toMatchObject({
      phase: 'change',
    });
    const held = play(opened, proven, ...rounds(gateLimits.repairsMax));
    expect(held).toMatchObject({ phase: 'held' });
    const attempt = { change: 'chg_1', id: 'verdict_1', verdict: 'fail', reason: '', findings: [] };
    expect(held?.attempts).toEqual(Array(gateLimits.repairsMax).fill(attempt));
  });

  test('verifies again, or takes another change, when the baseline moved', () => {
    const passed = [opened, proven, admitted, verdict('pass')] as const;
    const moved = (change: string | null) =>
      play(...passed, ['base-moved', { base: 'b2', change }] as const);
    const again = { base: 'b2', verdict: null };
    expect(moved('chg_9')).toMatchObject({ ...again, phase: 'verify', change: 'chg_9' });
    expect(moved(null)).toMatchObject({ ...again, phase: 'change', change: null });
  });

  test.each([
    ['verdict_1', { phase: 'verify', change: 'chg_1', verdict: null, repairs: 0 }],
    ['verdict_0', { phase: 'promote', change: 'chg_1', verdict: 'verdict_1' }],
  ])('verifies the same change again only when its own pass lapses: %s', (lapsed, expected) => {
    const passed = [opened, proven, admitted, verdict('pass')] as const;
    expect(play(...passed, ['verdict-lapsed', { verdict: lapsed }])).toMatchObject(expected);
  });

  test('forgets the verdict of the previous change', () => {
    const row = play(opened, proven, admitted, verdict('pass'), [
      'change-admitted',
      { change: 'chg_2' },
    ]);
    expect(row).toMatchObject({ phase: 'verify', change: 'chg_2', verdict: null });
  });
});
