import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFault } from '../../kernel/index.ts';
import { compilePolicy } from '../language/index.ts';
import { readCases } from './read-cases.ts';
import { runCases } from './run-cases.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'surety-cases-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(text: string): string {
  const path = join(directory, 'cases.yaml');
  writeFileSync(path, text);
  return path;
}

const policy = compilePolicy({
  version: 1,
  mode: 'observe',
  tools: {
    pay: {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['amount'],
        properties: { amount: { type: 'integer', minimum: 1 } },
      },
      invariants: [
        { rule: 'office-hours', that: 'now.getHours() >= 8 && now.getHours() < 18' },
        { rule: 'round', that: 'arguments.amount % 100 == 0', soft: true },
      ],
      governance: { cost: { money: 'arguments.amount' } },
    },
  },
  agents: { ada: { tools: ['pay'], budgets: [{ dimension: 'money', limit: 1_000 }] } },
});

const verdicts = (text: string) =>
  runCases(readCases(write(text)), policy, () => false).map(({ ok, got }) => [ok, got.verdict]);

describe('a case', () => {
  test('is judged in enforce mode with its own clock and state', () => {
    const pay = 'actor: agent:ada, tool: pay, arguments: {amount: 500}';
    expect(
      verdicts(`cases:
  - {name: by day, ${pay}, expect: allow, rules: []}
  - {name: at night, ${pay}, now: "2026-01-01T23:00:00Z", expect: deny, rules: [pay/office-hours]}
  - {name: the last money, ${pay}, spent: [{account: agent:ada, dimension: money, amount: 500}], expect: allow}
  - {name: too little, ${pay}, spent: [{account: agent:ada, dimension: money, amount: 501}], expect: deny}
  - {name: a task's own, ${pay}, task: {budgets: [{dimension: money, limit: 499}]}, expect: deny, rules: [budget/money]}
  - {name: a task without the tool, ${pay}, task: {tools: [other]}, expect: deny, rules: [task.tools]}
  - {name: a stranger, actor: "agent:eve", tool: pay, arguments: {amount: 5}, expect: deny, rules: [policy.tools]}
`),
    ).toEqual([
      [true, 'allow'],
      [true, 'deny'],
      [true, 'allow'],
      [true, 'deny'],
      [true, 'deny'],
      [true, 'deny'],
      [true, 'deny'],
    ]);
  });

  test('fails when the decision or the rules differ from the expected ones', () => {
    const pay = 'actor: agent:ada, tool: pay, arguments: {amount: -1}';
    expect(
      verdicts(`cases:
  - {name: a, ${pay}, expect: allow}
  - {name: b, ${pay}, expect: deny, rules: [pay/office-hours]}
  - {name: c, ${pay}, expect: deny, rules: [arguments]}
`),
    ).toEqual([
      [false, 'deny'],
      [false, 'deny'],
      [true, 'deny'],
    ]);
  });

  test('reports warnings and does not fail because of them', () => {
    const [result] = runCases(
      readCases(
        write(
          'cases: [{name: a, actor: agent:ada, tool: pay, arguments: {amount: 50}, expect: allow}]',
        ),
      ),
      policy,
      () => false,
    );
    expect(result).toMatchObject({ ok: true, said: [{ rule: 'pay/round', verdict: 'warn' }] });
  });
});

describe('a file of cases is refused with the position of each mistake', () => {
  test.each([
    ['syntax', 'cases: [', ':1:9'],
    ['no cases', 'cases: []', ':1:8'],
    [
      'a misspelt key',
      'cases:\n  - {name: a, actor: agent:a, tool: t, expct: deny}\n',
      'did you mean "expect"?',
    ],
    ['a wrong verdict', 'cases:\n  - {name: a, actor: agent:a, tool: t, expect: maybe}\n', ':2:48'],
    [
      'a wrong time',
      'cases:\n  - {name: a, actor: agent:a, tool: t, now: noon, expect: deny}\n',
      ':2:45',
    ],
    [
      'an actor without a kind',
      'cases:\n  - {name: a, actor: ada, tool: t, expect: deny}\n',
      'use agent:<name>',
    ],
    [
      'two of one name',
      'cases:\n  - {name: a, actor: agent:a, tool: t, expect: deny}\n  - {name: a, actor: agent:a, tool: t, expect: deny}\n',
      ':3:12  there are two cases "a"',
    ],
  ])('%s', (_, text, expected) => {
    const path = write(text);
    let message = '';
    try {
      readCases(path);
    } catch (error) {
      if (isFault(error, 'CASES_INVALID')) message = error.message;
      else throw error;
    }
    expect(message).toContain(expected);
  });

  test('a missing file', () => {
    expect(() => readCases(join(directory, 'none.yaml'))).toThrow('cannot be read');
  });
});
