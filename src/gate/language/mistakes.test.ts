import { describe, expect, test } from 'vitest';
import { gateLimits } from '../limits.ts';
import { mistakesOf, parse, refundPolicy, refundWith } from './policy.fixture.ts';

const told = (text: string) => mistakesOf(() => parse(text, { natives: [] }));
const issue = (before: string, after: string) => told(refundWith(before, after));
const tool = (lines: string) =>
  `version: 1\ntools:\n  t:\n    effect: read\n    arguments: {type: object, properties: {amount: {type: integer}}}\n${lines}`;

describe('a mistake in a policy is reported with file, line and column:', () => {
  test.each<[string, string, string]>([
    ['broken syntax', 'version: 1\ntools: [\n', '3:1  '],
    ['a tab', 'version: 1\ntools:\n\ta: 1\n', '3:1  '],
    ['a key given twice', 'version: 1\nversion: 1\n', '2:1  '],
    ['an alias', 'version: &a 1\nmode: *a\n', '2:7  aliases are not supported'],
    ['a list', '- a\n', '1:1  the file: '],
    ['a text', 'hello\n', '1:1  the file: '],
    ['no version', 'mode: observe\n', '1:1  version: use 1'],
    ['another version', 'version: 2\n', '1:10  version: use 1'],
    ['an unknown key', 'version: 1\ntool: {}\n', '2:1  unknown key "tool"; did you mean "tools"?'],
    ['an unknown mode', 'version: 1\nmode: off\n', '2:7  mode: '],
    ['a bad name of a tool', 'version: 1\ntools:\n  "a b": {}\n', '3:3  tools.a b: use 1 to 128'],
    ['a bad name of an agent', 'version: 1\nagents:\n  Ada: {}\n', '3:3  agents.Ada: use 1 to 40'],
    [
      'a dangerous name',
      'version: 1\ntools:\n  __proto__: {}\n',
      '3:3  "__proto__" can\'t be a key',
    ],
    [
      'a missing field',
      'version: 1\ntools:\n  t: {arguments: {type: object}}\n',
      '3:6  tools.t.effect: ',
    ],
    [
      'a duration that is none',
      tool('    governance: {timeout: 30}\n'),
      '6:27  tools.t.governance.timeout: use a duration such as',
    ],
    [
      'a duration that is too long',
      tool('    governance: {timeout: 25h}\n'),
      '6:27  tools.t.governance.timeout: use at most 24h',
    ],
    [
      'an expression that is a number',
      tool('    governance: {key: 1}\n'),
      '6:23  tools.t.governance.key: use an expression',
    ],
    [
      'money with cents',
      'version: 1\nbudgets: [{dimension: money, limit: 10.50}]\n',
      '2:37  budgets.0.limit: use a whole number; money is in minor units',
    ],
    [
      'a negative budget',
      'version: 1\nbudgets: [{dimension: money, limit: -1}]\n',
      '2:37  budgets.0.limit: use 0 or more',
    ],
    [
      'an infinite budget',
      'version: 1\nbudgets: [{dimension: money, limit: .inf}]\n',
      '2:37  budgets.0.limit: ',
    ],
    [
      'a role of a role',
      'version: 1\nroles:\n  a: {roles: [b]}\n',
      '3:7  unknown key "roles" in roles.a',
    ],
    [
      'an empty role of an approval',
      tool('    governance: {approval: {role: ""}}\n'),
      '6:35  tools.t.governance.approval.role: ',
    ],
    [
      'a variable that is missing',
      'version: 1\nvariables: {a: "${NOPE}"}\n',
      '2:16  the environment has no variable NOPE',
    ],
    [
      'a misspelt keyword of a schema',
      tool('    result: {type: object, propertes: {}}\n'),
      '6:28  unknown keyword "propertes"',
    ],
  ])('%s', (_, text, expected) => {
    const mistakes = told(text);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(`policy.yaml:${expected}`);
  });

  test.each<[string, string, string]>([
    ['a plain scalar', '    resources: [string(arguments.amout)]\n', '6:33  '],
    ['a double-quoted one', '    resources: ["string(arguments.amout)"]\n', '6:34  '],
    ['a single-quoted one', "    resources: ['string(arguments.amout)']\n", '6:34  '],
    // Escapes and folded lines move what stands behind them: then the scalar itself is named.
    ['one with escapes', '    resources: ["string(arguments.amout)\\x20"]\n', '6:17  '],
    ['a block', '    resources:\n      - |\n        string(arguments.amout)\n', '7:9  '],
    ['one over two lines', '    resources:\n      - string(\n        arguments.amout)\n', '7:9  '],
  ])('a misspelt field in %s', (_, lines, place) => {
    expect(told(tool(lines))).toEqual([
      expect.stringMatching(`^policy.yaml:${place}.*amout.*did you mean "amount"`),
    ]);
  });

  test('all mistakes of a policy at once', () => {
    const text = refundWith('keyFor', 'keyfor')
      .replace('arguments.amount <= reads.order.total', 'arguments.amout <= reads.order.total')
      .replace('reads.order.status ==', 'reads.order.staus ==')
      .replace('roles: [support]', 'roles: [suport]')
      .replace('tool: refund.cancel', 'tool: refund.cancle');
    const mistakes = told(text);
    expect(mistakes.map((line) => line.replace(/^policy.yaml:\d+:\d+ {2}/, ''))).toEqual([
      expect.stringContaining('did you mean "status"?'),
      expect.stringContaining('did you mean "amount"?'),
      expect.stringContaining('did you mean "keyFor"?'),
      'there is no tool refund.cancle; did you mean "refund.cancel"?',
      'there is no role suport; did you mean "support"?',
    ]);
  });
});

describe('valid parts that contradict each other are refused:', () => {
  test.each<[string, string, string, string]>([
    [
      'a read that is none',
      'order.get:\n    effect: read',
      'order.get:\n    effect: idempotent',
      'order.get is idempotent; only a tool with "effect: read" is called',
    ],
    [
      'an unknown read',
      'tool: order.get, with',
      'tool: order.got, with',
      'there is no tool order.got; did you mean "order.get"?',
    ],
    [
      'an unknown reconcile',
      'read: refund.find',
      'read: refund.fine',
      'there is no tool refund.fine',
    ],
    [
      'a reconcile that changes something',
      'read: refund.find, with: {key: key}',
      'read: refund.cancel, with: {orderId: key}',
      'refund.cancel is idempotent',
    ],
    [
      'an undeclared argument of another tool',
      'with: { id: arguments.orderId }',
      'with: { id: arguments.orderId, ix: "1" }',
      'order.get has no argument ix; did you mean "id"?',
    ],
    [
      'a missing argument of another tool',
      'with: { id: arguments.orderId }',
      'with: {}',
      'order.get needs the argument id',
    ],
    [
      'an argument of another kind',
      'with: { id: arguments.orderId }',
      'with: { id: arguments.amount }',
      'order.get takes id as string, not as int',
    ],
    [
      'a read that needs a read',
      'with: { id: arguments.orderId }',
      'with: { id: reads.order.status }',
      'reads',
    ],
    [
      'a rule that is no condition',
      'that: arguments.amount <= 5000',
      'that: arguments.amount',
      'agents.ada.constraints.refund.issue.0.that: ',
    ],
    [
      'a cost that is no number',
      'cost: { money: arguments.amount }',
      'cost: { money: arguments.orderId }',
      'tools.refund.issue.governance.cost.money: ',
    ],
    [
      'a cost of calls',
      'cost: { money: arguments.amount }',
      'cost: { calls: "2" }',
      'every call counts as one of `calls` by itself',
    ],
    [
      'a key that is no text',
      'key: arguments.orderId',
      'key: arguments.amount',
      'tools.refund.issue.governance.key: ',
    ],
    ['a key that changes', 'key: arguments.orderId', 'key: string(now)', 'now'],
    ['a key over what is read', 'key: arguments.orderId', 'key: reads.order.status', 'reads'],
    [
      'a result before there is one',
      'that: arguments.amount <= reads.order.total',
      'that: result.amount > 1',
      'result',
    ],
    [
      'a read after it is settled',
      'committed: read.status',
      'committed: reads.order.status',
      'reads',
    ],
    [
      'a misspelt field of a result',
      'result.amount == arguments.amount',
      'result.amout == arguments.amount',
      'did you mean "amount"?',
    ],
    ['a misspelt field of a read', 'read.status == "paid"', 'read.state == "paid"', 'state'],
    ['a misspelt variable', 'vars.threshold', 'vars.treshold', 'did you mean "threshold"?'],
    ['a misspelt step', 'step.outcome ==', 'step.outcom ==', 'did you mean "outcome"?'],
    [
      'two rules of one name',
      'rule: looked-first',
      'rule: within-order',
      'there are two rules within-order',
    ],
    [
      'a blind retry',
      '        - reconcile: {read: refund.find, with: {key: key}, committed: read.status == "paid", failed: read.status == "none"}\n',
      '',
      'a mutating tool is called again only right after a reconcile',
    ],
    [
      'a retry after a reconcile that cannot say no',
      ', failed: read.status == "none"',
      '',
      'a mutating tool is called again only right after a reconcile',
    ],
    [
      'more steps than stepsMax',
      'stepsMax: 4',
      'stepsMax: 3',
      'there are 4 steps, but stepsMax is 3',
    ],
    [
      'a step that is two',
      '- retry: {times: 2, backoff: 300ms}',
      '- {retry: {times: 1}, hold: {reason: x}}',
      'a step is exactly one of',
    ],
    [
      'a step that is none',
      '- hold: {reason: The refund of an order is in doubt.}',
      '- {}',
      'a step is exactly one of',
    ],
    [
      'a compensation by itself',
      'tool: refund.cancel, with: {orderId: arguments.orderId}',
      'tool: refund.issue, with: {orderId: arguments.orderId, amount: arguments.amount}',
      "refund.issue can't compensate itself",
    ],
    [
      'a lease shorter than the timeout',
      'lease: 60s',
      'lease: 19s',
      'it would end before the timeout',
    ],
    [
      'a concurrency of nothing',
      'concurrency: { max: 4, lock: \'"order/" + arguments.orderId\', lease: 60s }',
      'concurrency: {}',
      'say max, lock or both',
    ],
    [
      'two ways to run',
      'run: {http:',
      'run: {command: [a], http:',
      'say exactly one of http and command',
    ],
    [
      'no way to run',
      'run: {http: {method: POST, url: "${PAYMENTS_URL}/refunds", headers: {authorization: "Bearer ${PAYMENTS_TOKEN}"}}}',
      'run: {}',
      'say exactly one of http and command',
    ],
    [
      'an unknown tool of an agent',
      'tools: [refund.issue]',
      'tools: [refund.isue]',
      'no tool is called refund.isue; did you mean "refund.issue"?',
    ],
    [
      'a pattern that matches nothing',
      'tools: ["order.*"]',
      'tools: ["orders.*"]',
      'no tool is called orders.*',
    ],
    [
      'a constraint of an unknown tool',
      'constraints: { refund.issue',
      'constraints: { refund.isue',
      'no tool is called refund.isue',
    ],
    [
      'an unknown role',
      'roles: [support]',
      'roles: [supporter]',
      'there is no role supporter; did you mean "support"?',
    ],
    [
      'two budgets of the same',
      '{dimension: calls, limit: 1000}',
      '{dimension: money, limit: 1, per: 1d}',
      'there are two budgets of money per 1d',
    ],
    [
      'resources that no role has',
      'tools: [refund.issue]',
      'tools: [refund.issue]\n    resources: ["customer/*"]',
      "no role of ada has customer/*; an agent's resources narrow its roles'",
    ],
    [
      'an environment of an unknown variable',
      'production: { variables: { threshold',
      'production: { variables: { treshold',
      'there is no variable treshold; did you mean "threshold"?',
    ],
    [
      'an environment that changes a kind',
      'threshold: 5000',
      'threshold: many',
      'threshold is of the kind number, not string',
    ],
  ])('%s', (_, before, after, expected) => {
    const mistakes = issue(before, after);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(expected);
  });
});

test('a mutating tool may not be retried blindly, a reading one may', () => {
  const recovery = '    recovery: {steps: [{retry: {}}]}\n';
  expect(told(tool(recovery))).toEqual([]);
  expect(told(tool(recovery).replace('effect: read', 'effect: idempotent'))).toEqual([]);
  expect(told(tool(recovery).replace('effect: read', 'effect: mutating'))).toHaveLength(1);
});

test.each([
  ['sameProposal', gateLimits.loopCallsMax],
  ['sameError', gateLimits.loopCallsMax],
  ['cycle', gateLimits.loopCallsMax / gateLimits.cycleLengthMax - 1],
])('the loop limit %s is at most %i', (name, most) => {
  const limit = (value: number) => `version: 1\nagents: {ada: {limits: {${name}: ${value}}}}\n`;
  expect(told(limit(most))).toEqual([]);
  expect(told(limit(most + 1))).toEqual([expect.stringContaining(`use at most ${most}`)]);
});

test(`a recovery has at most ${gateLimits.recoveryStepsMax} steps`, () => {
  const steps = (count: number) =>
    tool(`    recovery: {stepsMax: ${count}, steps: [${'{hold: {reason: x}}, '.repeat(count)}]}\n`);
  expect(told(steps(gateLimits.recoveryStepsMax))).toEqual([]);
  expect(told(steps(gateLimits.recoveryStepsMax + 1))).toEqual([
    expect.stringContaining(`use at most ${gateLimits.recoveryStepsMax}`),
  ]);
});

test(`at most ${gateLimits.policyMistakesMax} mistakes are listed, and all are counted`, () => {
  const wrong = (count: number) =>
    `version: 1\n${Array.from({ length: count }, (_, index) => `zzzzzzzz${index}: 1\n`).join('')}`;
  expect(told(wrong(gateLimits.policyMistakesMax))).toHaveLength(gateLimits.policyMistakesMax);
  const lines = told(wrong(gateLimits.policyMistakesMax + 5));
  expect(lines).toHaveLength(gateLimits.policyMistakesMax + 1);
  expect(lines.at(-1)).toBe('… and 5 more');
  expect(() => parse(wrong(gateLimits.policyMistakesMax + 5))).toThrow('has 205 error(s)');
});

test('the example policies have no mistakes', () => {
  expect(told(refundPolicy)).toEqual([]);
});
