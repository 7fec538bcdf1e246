import { describe, expect, test } from 'vitest';
import type { Json } from '../../../kernel/index.ts';
import { sharedLimits } from '../../../kernel/index.ts';
import type { Expression } from '../../expression/index.ts';
import { contractOf, parse, refundPolicy, refundWith, toolWith } from '../policy.fixture.ts';
import { compilePolicy } from '../sources/define.ts';

const policy = parse(refundPolicy);
const issue = contractOf(policy, 'refund.issue');
const given = {
  arguments: { orderId: '7', amount: 3 },
  reads: { order: { status: 'delivered', total: 5 } },
  agent: { name: 'ada', roles: ['support'] },
  vars: { threshold: 2 },
  now: 0,
  task: { id: 't', phase: '' },
};
const value = (expression: Expression | null | undefined, more: Record<string, Json> = {}) =>
  expression?.evaluate({ ...given, ...more });

describe('a compiled contract', () => {
  test('contains the whole document, with durations in milliseconds', () => {
    expect(issue).toMatchObject({
      tool: 'refund.issue',
      effect: 'mutating',
      description: 'Pays an amount of an order back.',
      run: { kind: 'http', method: 'POST', url: '${PAYMENTS_URL}/refunds' },
      keyForMs: 7_776_000_000,
      evidence: [{ kind: 'order-verified', freshMs: 600_000 }],
      approval: { role: 'approver', withinMs: 7_200_000 },
      rates: [{ max: 10, perMs: 60_000, by: 'agent' }],
      concurrency: { max: 4, leaseMs: 60_000 },
      timeoutMs: 20_000,
      usesTrajectory: true,
      recovery: {
        stepsMax: 4,
        steps: [
          { kind: 'reconcile', read: 'refund.find' },
          { kind: 'retry', times: 2, backoffMs: 300 },
          { kind: 'compensate', tool: 'refund.cancel' },
          { kind: 'hold', reason: 'The refund of an order is in doubt.' },
        ],
      },
    });
    expect(issue).not.toHaveProperty('mode');
  });

  test('evaluates its expressions', () => {
    expect(value(issue.key)).toBe('7');
    expect(issue.resources.map((one) => value(one))).toEqual(['order/7']);
    expect(value(issue.cost[0]?.amount)).toBe(3);
    expect(value(issue.actualCost[0]?.amount, { result: { amount: 2 } })).toBe(2);
    expect(value(issue.evidence[0]?.subject)).toBe('7');
    expect(value(issue.approval?.when)).toBe(true);
    expect(value(issue.concurrency?.lock)).toBe('order/7');
    expect(issue.reads.map(({ name, tool }) => [name, tool])).toEqual([['order', 'order.get']]);
    expect(issue.reads[0]?.with.map(([name, one]) => [name, value(one)])).toEqual([['id', '7']]);
    expect(issue.preconditions.map(({ that }) => value(that))).toEqual([true]);
    expect(issue.results.map(({ that }) => value(that, { result: { amount: 3 } }))).toEqual([true]);
  });

  test('keeps the message and remedy of each rule', () => {
    expect(issue.preconditions).toMatchObject([
      { rule: 'delivered', soft: false, message: 'It is on its way.', remedy: 'Wait for it.' },
    ]);
    expect(issue.invariants).toMatchObject([
      { rule: 'within-order', soft: false, message: null, remedy: null },
      { rule: 'looked-first', soft: true },
    ]);
    const looked = [{ tool: 'order.get', arguments: '', outcome: 'committed', code: '' }];
    expect(value(issue.invariants[1]?.that, { trajectory: looked })).toBe(true);
    expect(value(issue.invariants[1]?.that, { trajectory: [] })).toBe(false);
  });

  test('compiles recovery expressions that read state, key and outcome', () => {
    const [reconcile, , compensate] = issue.recovery.steps;
    if (reconcile?.kind !== 'reconcile' || compensate?.kind !== 'compensate') throw new Error();
    expect(reconcile.with.map(([name, one]) => [name, value(one, { key: 'k' })])).toEqual([
      ['key', 'k'],
    ]);
    expect(value(reconcile.committed, { read: { status: 'paid' } })).toBe(true);
    expect(value(reconcile.failed, { read: { status: 'paid' } })).toBe(false);
    expect(value(compensate.when, { outcome: { status: 'unknown', code: '' } })).toBe(true);
  });

  test('has safe defaults without governance', () => {
    expect(contractOf(compilePolicy(toolWith({ type: 'object' })), 't')).toMatchObject({
      run: null,
      key: null,
      keyForMs: null,
      cost: [],
      approval: null,
      concurrency: null,
      timeoutMs: sharedLimits.toolMs,
      recovery: { stepsMax: 0, steps: [] },
      usesTrajectory: false,
    });
  });

  test('holds a lock twice as long as the timeout by default', () => {
    const governance = { timeout: '10s', concurrency: { max: 1 } };
    const lease = (more: object) =>
      contractOf(compilePolicy(toolWith({ type: 'object' }, { governance: more })), 't')
        .concurrency;
    expect(lease(governance)?.leaseMs).toBe(20_000);
    expect(lease({ ...governance, timeout: '24h' })?.leaseMs).toBe(sharedLimits.leaseMsMax);
  });

  test('accepts a command as its runner', () => {
    const run = { command: ['node', 'a.js'] };
    const compiled = contractOf(compilePolicy(toolWith({ type: 'object' }, { run })), 't');
    expect(compiled.run).toEqual({ kind: 'command', command: ['node', 'a.js'] });
  });
});

describe('the history of calls', () => {
  const looked = 'trajectory.exists(step, step.tool == "order.get" && step.outcome == "committed")';
  const blind = refundWith(looked, '"true"');

  test.each<[string, boolean, string]>([
    ['a rule over the trajectory', true, refundPolicy],
    ['a rule over what was seen', true, refundWith(looked, `'"order.get" in seen'`)],
    ['no such rule', false, blind],
    ["an agent's rule", true, blind.replace('arguments.amount <= 5000', 'size(trajectory) < 5')],
    ['an approval', true, blind.replace('arguments.amount > vars', 'size(trajectory) > vars')],
  ])('is loaded with %s: %s', (_, expected, text) => {
    expect(contractOf(parse(text), 'refund.issue').usesTrajectory).toBe(expected);
  });
});

describe('a native tool', () => {
  const text =
    'version: 1\nagents:\n  ada:\n    tools: [lane.open]\n    constraints: {lane.open: [{rule: r, that: arguments.x == 1}]}\n';

  test('is accepted when it is known, or when the caller lists none', () => {
    for (const options of [{ natives: ['lane.open'] }, {}]) {
      const ada = parse(text, options).agents.get('ada');
      expect(ada?.allows('lane.open')).toBe(true);
      expect(ada?.constraints.get('lane.open')?.[0]?.that.evaluate({ arguments: { x: 1 } })).toBe(
        true,
      );
    }
    expect(() => parse(text, { natives: ['lane.close'] })).toThrow('no tool is called lane.open');
  });

  test('cannot read the history of calls', () => {
    const back = text.replace('arguments.x == 1', 'size(trajectory) > 1');
    expect(() => parse(back, { natives: ['lane.open'] })).toThrow('trajectory');
  });
});

test('a constraint with a pattern applies to each tool that it matches', () => {
  const text = refundWith(
    'constraints: { refund.issue: [ {rule: small, that: arguments.amount <= 5000} ] }',
    'constraints: { "refund.*": [ {rule: ours, that: agent.name == "ada"} ] }',
  );
  const constraints = parse(text).agents.get('ada')?.constraints;
  expect([...(constraints?.keys() ?? [])].sort()).toEqual([
    'refund.cancel',
    'refund.find',
    'refund.issue',
  ]);
});

test('a schema with exponentially many references compiles', () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`p${index}`, { $ref: '#' }]),
  );
  const schema = { type: 'object', properties: { ...doubled, name: { type: 'string' } } };
  const compiled = compilePolicy(
    toolWith(schema, { invariants: [{ rule: 'r', that: 'arguments.p1.name == "a"' }] }),
  );
  const { invariants, checkArguments } = contractOf(compiled, 't');
  expect(invariants[0]?.that.evaluate({ arguments: { p1: { name: 'a' } } })).toBe(true);
  expect(checkArguments({ p1: { p2: { x: 1 } } })).toHaveLength(1);
});

test('variables get their types from their values', () => {
  const variables = {
    list: ['a', 'b'],
    mixed: [1, 'a'],
    deep: { on: true },
    rate: 0.5,
    none: null,
  };
  const rule = (that: string) => ({
    ...toolWith({ type: 'object' }, { invariants: [{ rule: 'r', that }] }),
    variables,
  });
  const holds = (that: string) =>
    contractOf(compilePolicy(rule(that)), 't').invariants[0]?.that.evaluate({ vars: variables });
  expect(holds('vars.deep.on')).toBe(true);
  expect(holds('"a" in vars.list')).toBe(true);
  expect(holds('vars.rate < 1.0')).toBe(true);
  expect(() => holds('vars.deep.of')).toThrow('of');
  expect(() => holds('vars.list')).toThrow('vars.list');
});
