import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, fault, type Proposal } from '../kernel/index.ts';
import { makeDirectory, removeDirectory, type TestGate } from './gate.fixture.ts';
import { ada, look, openRefundGate, pay, refund, resetWorld, world } from './refund.fixture.ts';

let directory: string;
let gate: TestGate;

async function open(): Promise<void> {
  gate = await openRefundGate(directory);
}

beforeEach(async () => {
  resetWorld();
  directory = makeDirectory();
  await open();
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

async function refused(proposal: Proposal): Promise<Fault> {
  const error = await gate.propose(proposal).then(
    (outcome) => new Error(`it was ${outcome.status}`),
    (thrown) => thrown,
  );
  return error as Fault;
}

const rulesOf = (denied: Fault): string[] =>
  ((denied.details?.rules ?? []) as { rule: string }[]).map(({ rule }) => rule);

describe('the refund contract', () => {
  test('refunds a delivered order once it was read, and only once', async () => {
    await gate.propose(look('o1'));
    expect(await gate.propose(refund('o1', 500))).toMatchObject({
      status: 'committed',
      value: { orderId: 'o1', amount: 500 },
    });
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ value: { amount: 500 } });
    expect(world.payouts).toBe(1);
    expect(await refused(refund('o1', 501))).toMatchObject({ code: 'PROPOSAL_KEY_REUSED' });
    expect((await gate.rebuild()).differences).toEqual([]);
    expect(await gate.replay()).toMatchObject({ different: 0 });
  });

  // proves: gate.runtime-facts, gate.arguments
  test.each<[string, object, string]>([
    ['undeclared argument', { note: 'x' }, 'arguments'],
    ['negative amount', { amount: -5 }, 'arguments'],
    ['amount with cents', { amount: 1.5 }, 'arguments'],
    ['amount as text', { amount: '500' }, 'arguments'],
    ['amount beyond the bound', { amount: 1_000_001 }, 'arguments'],
    ['amount beyond the order', { amount: 30_001 }, 'refund.issue/within-order'],
    ['clock of the caller', { now: 0 }, 'arguments'],
  ])('denies %s', async (_, more, rule) => {
    await gate.propose(look('o1'));
    const denied = await refused(refund('o1', 500, more));
    expect(denied).toMatchObject({ code: 'PROPOSAL_DENIED' });
    expect(rulesOf(denied)).toContain(rule);
    expect(world.payouts).toBe(0);
  });

  test('names the missing step and allows the call after it', async () => {
    const denied = await refused(refund('o1', 500));
    expect(rulesOf(denied)).toEqual(['evidence/order-seen']);
    expect(denied.details?.evidenceNeeded).toEqual([
      { evidence: 'order-seen', tools: ['order.get'] },
    ]);
    await gate.propose(look('o1'));
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'committed' });
    gate.clock.forward(11 * 60_000);
    expect(rulesOf(await refused(refund('o2', 500)))).toEqual(['evidence/order-seen']);
  });

  test('ignores expired evidence and evidence about another order', async () => {
    await gate.propose(look('o1'));
    expect(rulesOf(await refused(refund('o2', 500)))).toEqual(['evidence/order-seen']);
    gate.clock.forward(10 * 60_000 + 1);
    expect(rulesOf(await refused(refund('o1', 500)))).toEqual(['evidence/order-seen']);
  });

  test('denies an undelivered order with the values that decided', async () => {
    world.status = 'shipped';
    await gate.propose(look('o1'));
    const denied = await refused(refund('o1', 500));
    expect(denied.details?.rules).toMatchObject([
      { rule: 'refund.issue/delivered', values: { 'reads.order.status': 'shipped' } },
    ]);
  });

  test('needs an approval above the threshold, for exactly these arguments and once', async () => {
    await gate.propose(look('o1'));
    const held = await refused(refund('o1', 20_000));
    expect(held).toMatchObject({ code: 'PROPOSAL_HELD', details: { role: 'approver' } });
    expect(gate.notices).toMatchObject([{ event: 'proposal-held' }]);
    const { approval, argumentsHash } = held.details as { approval: string; argumentsHash: string };
    const answer = { approval, argumentsHash, roles: ['approver'], reason: 'ok' };
    await expect(gate.approve({ ...answer, ...ada })).rejects.toMatchObject({
      code: 'APPROVAL_OWN',
    });
    const grace = { ...answer, actor: 'person:grace' as const };
    await expect(gate.approve({ ...grace, argumentsHash: 'x' })).rejects.toMatchObject({
      code: 'APPROVAL_OTHER_ARGUMENTS',
    });
    await expect(gate.approve({ ...grace, roles: ['viewer'] })).rejects.toMatchObject({
      code: 'APPROVAL_ROLE',
    });
    await gate.approve(grace);
    await expect(gate.approve(grace)).rejects.toMatchObject({ code: 'APPROVAL_ANSWERED' });
    expect(await refused(refund('o1', 20_001))).toMatchObject({ code: 'PROPOSAL_HELD' });
    expect(await gate.propose(refund('o1', 20_000))).toMatchObject({ status: 'committed' });
    expect((await gate.kinds()).filter((kind) => kind === 'attempt-refused')).toHaveLength(4);
    expect(await gate.replay()).toMatchObject({ different: 0 });
  });

  test('reserves budgets before the call and settles them afterwards', async () => {
    for (const order of ['o1', 'o2', 'o3']) await gate.propose(look(order));
    world.pay = () => Promise.reject(fault('TOOL_FAILED', { tool: 'refund.issue', reason: 'no' }));
    for (const order of ['o1', 'o2', 'o3']) await gate.propose(refund(order, 9_000));
    world.pay = pay;
    for (const order of ['a', 'b', 'c', 'd', 'e', 'f']) await gate.propose(look(order));
    const outcomes = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((order) =>
        gate.propose(refund(order, 9_000)).catch((error) => error),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'committed')).toHaveLength(5);
    const [denied] = outcomes.filter(({ code }) => code === 'PROPOSAL_DENIED');
    expect(rulesOf(denied)).toEqual(['budget/money/86400000']);
    // While others are in flight nobody can say when it returns; afterwards one can.
    const later = await refused(refund('f', 9_000));
    expect(later.details?.retryAt ?? 0).toBeGreaterThan(gate.clock.now());
  });

  test('withholds a result that breaks its contract', async () => {
    await gate.propose(look('o1'));
    world.pay = async () => ({ orderId: 'o1', amount: 499 });
    const outcome = await gate.propose(refund('o1', 500));
    expect(outcome).toMatchObject({ status: 'failed', fault: { code: 'RESULT_REFUSED' } });
    expect(await gate.propose(refund('o1', 500))).toMatchObject({
      fault: { code: 'RESULT_REFUSED' },
    });
  });
});

test('charges the real cost above the reservation and reports the excess', async () => {
  await gate.adopt({
    version: 1,
    tools: {
      'sms.send': {
        effect: 'mutating',
        arguments: {
          type: 'object',
          properties: { parts: { type: 'integer', minimum: 1, maximum: 9 } },
        },
        governance: { cost: { sms: 'arguments.parts' }, actualCost: { sms: 'result.parts' } },
      },
    },
    agents: { ada: { tools: ['sms.send'], budgets: [{ dimension: 'sms', limit: 4 }] } },
  });
  const sms = { ...ada, tool: 'sms.send', arguments: { parts: 3 } };
  await gate.act(sms, async () => ({ parts: 5 }));
  const entry = (await gate.ledger.entries((await gate.ledger.head()).seq, 1))[0];
  expect(entry?.body.over).toEqual([{ account: 'account/agent:ada', budget: 'sms', by: 2 }]);
  const denied = await gate
    .act({ ...sms, arguments: { parts: 1 } }, async () => ({}))
    .catch((e) => e);
  expect(denied.message).toContain('agent:ada has -1 of 4 sms left');
});
describe('a stop denies calls in the scope', () => {
  test.each(['workspace', 'agent:ada', 'tool:order.get'])('%s', async (scope) => {
    const stopping = { scope, reason: 'incident 7', actor: 'person:grace' as const };
    await gate.stop(stopping);
    expect(rulesOf(await refused(look('o1')))).toEqual(['stop']);
    await gate.lift(stopping);
    expect(await gate.propose(look('o1'))).toMatchObject({ status: 'committed' });
    expect(gate.notices).toMatchObject([{ event: 'stop-set' }]);
  });
});
