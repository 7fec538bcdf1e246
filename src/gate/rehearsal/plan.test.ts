import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Proposal } from '../../kernel/index.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from '../gate.fixture.ts';
import type { PolicyDocument } from '../language/index.ts';

const id = { type: 'string', maxLength: 40 };
const policy: PolicyDocument = {
  version: 1,
  tools: {
    'order.get': {
      effect: 'read',
      arguments: { type: 'object', required: ['id'], properties: { id } },
      produces: [{ evidence: 'order-seen', subject: 'arguments.id', when: 'result.total > 0' }],
    },
    refund: {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['id', 'amount'],
        properties: { id, amount: { type: 'integer', minimum: 1 } },
      },
      reads: { order: { tool: 'order.get', with: { id: 'arguments.id' } } },
      invariants: [{ rule: 'within', that: 'arguments.amount <= reads.order.total' }],
      governance: {
        key: 'arguments.id',
        cost: { money: 'arguments.amount' },
        evidence: [{ kind: 'order-seen', subject: 'arguments.id', freshFor: '10m' }],
        approval: { when: 'arguments.amount > 500', role: 'approver' },
      },
    },
    close: {
      effect: 'mutating',
      arguments: { type: 'object', required: ['id'], properties: { id } },
      invariants: [{ rule: 'refunded', that: '"refund" in seen' }],
    },
  },
  agents: { ada: { tools: ['*'], budgets: [{ dimension: 'money', limit: 1_000 }] } },
};

let directory: string;
let gate: TestGate;
const reads: string[] = [];

beforeEach(async () => {
  directory = makeDirectory();
  reads.length = 0;
  gate = await openTestGate({
    directory,
    policy,
    tools: {
      'order.get': async ({ arguments: { id: order } }) => {
        reads.push(String(order));
        return { total: 800 };
      },
      refund: async ({ arguments: given }) => given,
      close: async () => null,
    },
  });
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const look = (order: string): Omit<Proposal, 'actor'> => ({
  tool: 'order.get',
  arguments: { id: order },
});
const refund = (order: string, amount: number): Omit<Proposal, 'actor'> => ({
  tool: 'refund',
  arguments: { id: order, amount },
});
const close = (order: string): Omit<Proposal, 'actor'> => ({
  tool: 'close',
  arguments: { id: order },
});

async function judge(...steps: Omit<Proposal, 'actor'>[]): Promise<string[]> {
  const judged = await gate.checkPlan(steps, 'agent:ada');
  return judged.map(({ verdict, said }) => [verdict, ...said.map(({ rule }) => rule)].join(' '));
}

// proves: gate.plan
describe('a plan', () => {
  test('is judged in order, and earlier steps give evidence for later ones', async () => {
    expect(await judge(look('o1'), refund('o1', 400), close('o1'))).toEqual([
      'allow',
      'allow',
      'allow',
    ]);
    expect(await judge(close('o1'), refund('o1', 400), look('o1'))).toEqual([
      'deny close/refunded',
      'deny evidence/order-seen',
      'allow',
    ]);
  });

  test('spends budgets step by step', async () => {
    expect(
      await judge(
        look('a'),
        look('b'),
        look('c'),
        refund('a', 450),
        refund('b', 450),
        refund('c', 450),
      ),
    ).toEqual(['allow', 'allow', 'allow', 'allow', 'allow', 'deny budget/money']);
  });

  test('consumes keys: a repeated call is answered, a changed amount is refused', async () => {
    const judged = await gate.checkPlan(
      [look('a'), refund('a', 100), refund('a', 100), refund('a', 200)],
      'agent:ada',
    );
    expect(judged.map(({ verdict }) => verdict)).toEqual(['allow', 'allow', 'allow', 'deny']);
    expect(judged[2]?.repeats).toMatch(/^prop_/);
    expect(judged[3]?.said).toMatchObject([{ rule: 'key' }]);
  });

  test('assumes that approvals are given, and says so', async () => {
    const judged = await gate.checkPlan([look('a'), refund('a', 501), close('a')], 'agent:ada');
    expect(judged.map(({ verdict }) => verdict)).toEqual(['allow', 'hold', 'allow']);
    expect(judged[0]?.assumes).toEqual(['it shows order-seen for a, if result.total > 0']);
    expect(judged[1]?.assumes).toEqual([expect.stringMatching(/^approval appr_\w+ is given$/)]);
  });

  test('starts from the recorded state and fresh reads', async () => {
    await gate.propose({ actor: 'agent:ada', ...look('a') });
    await gate.propose({ actor: 'agent:ada', ...refund('a', 300) });
    reads.length = 0;
    expect(await judge(close('a'), look('b'), refund('b', 450), refund('b', 801))).toEqual([
      'allow',
      'allow',
      'allow',
      'deny key',
    ]);
    expect(reads).toEqual(['b', 'b']);
    expect(await judge(look('c'), refund('c', 801))).toEqual([
      'allow',
      'deny refund/within budget/money approval',
    ]);
  });

  test('writes nothing to the ledger', async () => {
    const before = await gate.ledger.head();
    await judge(look('a'), refund('a', 400), refund('a', 900), close('x'));
    expect(await gate.ledger.head()).toEqual(before);
    expect((await gate.rebuild()).differences).toEqual([]);
  });

  test('of an agent without a policy is denied', async () => {
    const [judged] = await gate.checkPlan([look('a')], 'agent:eve');
    expect(judged).toMatchObject({ verdict: 'deny', said: [{ rule: 'policy.tools' }] });
    expect(reads).toEqual([]);
  });

  test('in observe mode says what enforcing would deny', async () => {
    await gate.adopt({ ...policy, mode: 'observe' });
    const [judged] = await gate.checkPlan([refund('a', 100)], 'agent:ada');
    expect(judged).toMatchObject({ verdict: 'allow', mode: 'observe', wouldBe: 'deny' });
  });
});
