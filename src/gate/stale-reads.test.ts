import { expect, test } from 'vitest';
import { makeDirectory, openTestGate, removeDirectory } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';

const integer = { type: 'integer', minimum: 1, maximum: 1_000 };
const policy: PolicyDocument = {
  version: 1,
  tools: {
    'order.get': {
      effect: 'read',
      arguments: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      result: { type: 'object', required: ['left'], properties: { left: { type: 'integer' } } },
    },
    pay: {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['order', 'amount'],
        properties: { order: { type: 'string' }, amount: integer },
      },
      reads: { order: { tool: 'order.get', with: { id: 'arguments.order' } } },
      invariants: [{ rule: 'within', that: 'arguments.amount <= reads.order.left' }],
      governance: { concurrency: { lock: 'arguments.order', lease: '60s' } },
    },
  },
  agents: { ada: { tools: ['pay'] }, bob: { tools: ['pay'] } },
};

/** Whether the other one comes before the read, or has the lock already and ends after it. */
test.each(['before', 'after'])(
  'a read is repeated when another call held the lock in between (taken %s)',
  async (taken) => {
    const directory = makeDirectory();
    const order = { left: 100, reads: 0 };
    const isRead = Promise.withResolvers<void>();
    const isPaid = Promise.withResolvers<void>();
    const mayPay = Promise.withResolvers<void>();
    const gate = await openTestGate({
      directory,
      policy,
      tools: {
        'order.get': async () => {
          const { left } = order;
          // The second is ada's.
          if (++order.reads === 2) {
            isRead.resolve();
            await isPaid.promise;
          }
          return { left };
        },
        pay: async ({ arguments: { amount } }) => {
          await mayPay.promise;
          order.left -= Number(amount);
          return { amount: Number(amount) };
        },
      },
    });
    const pay = (actor: 'agent:ada' | 'agent:bob', amount: number) =>
      gate.propose({ actor, tool: 'pay', arguments: { order: 'o1', amount } });
    if (taken === 'before') order.reads = 1;
    const first = taken === 'before' ? null : pay('agent:bob', 90);
    if (first) await expect.poll(() => gate.kinds()).toContain('proposal-granted');
    const ada = pay('agent:ada', 80).catch((error) => error);
    await isRead.promise;
    mayPay.resolve();
    expect(await (first ?? pay('agent:bob', 90))).toMatchObject({ status: 'committed' });
    isPaid.resolve();
    expect(await ada).toMatchObject({
      code: 'PROPOSAL_DENIED',
      details: { rule: 'pay/within' },
    });
    expect(order.left).toBe(10);
    expect(await gate.replay()).toMatchObject({ different: 0 });
    await gate.close();
    removeDirectory(directory);
  },
);
