import type { Json, Proposal } from '../kernel/index.ts';
import { openTestGate, type TestGate } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';

const text = { type: 'string', maxLength: 40 };
const amount = { type: 'integer', minimum: 1, maximum: 1_000_000 };

/** Text 002's contract, with tools that are functions. */
export const policy: PolicyDocument = {
  version: 1,
  variables: { threshold: 10_000 },
  tools: {
    'order.get': {
      effect: 'read',
      arguments: { type: 'object', required: ['id'], properties: { id: text } },
      produces: [{ evidence: 'order-seen', subject: 'arguments.id' }],
    },
    'refund.find': {
      effect: 'read',
      arguments: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
    },
    'refund.cancel': {
      effect: 'idempotent',
      arguments: { type: 'object', required: ['orderId'], properties: { orderId: text } },
    },
    'refund.issue': {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['orderId', 'amount'],
        properties: { orderId: text, amount },
      },
      reads: { order: { tool: 'order.get', with: { id: 'arguments.orderId' } } },
      preconditions: [{ rule: 'delivered', that: 'reads.order.status == "delivered"' }],
      invariants: [{ rule: 'within-order', that: 'arguments.amount <= reads.order.total' }],
      results: [{ rule: 'same-amount', that: 'result.amount == arguments.amount' }],
      governance: {
        key: 'arguments.orderId',
        cost: { money: 'arguments.amount' },
        actualCost: { money: 'result.amount' },
        evidence: [{ kind: 'order-seen', subject: 'arguments.orderId', freshFor: '10m' }],
        approval: { when: 'arguments.amount > vars.threshold', role: 'approver', within: '1h' },
        concurrency: { lock: '"order/" + arguments.orderId', lease: '60s' },
        timeout: '20s',
      },
      recovery: {
        steps: [
          {
            reconcile: {
              read: 'refund.find',
              with: { key: 'key' },
              committed: 'read.status == "paid"',
              failed: 'read.status == "none"',
            },
          },
          {
            compensate: {
              tool: 'refund.cancel',
              with: { orderId: 'arguments.orderId' },
              when: 'has(read.status) && read.status == "stuck"',
            },
          },
          { hold: { reason: 'a refund is in doubt' } },
        ],
      },
    },
  },
  agents: {
    ada: {
      tools: ['order.*', 'refund.issue'],
      budgets: [{ dimension: 'money', limit: 50_000, per: '1d' }],
    },
  },
};

/** A minimal payment service: what it did, and what it says it did. */
export const world = {
  status: 'delivered',
  payouts: 0,
  cancelled: 0,
  found: 'none',
  cancel: async (): Promise<Json> => ({ cancelled: ++world.cancelled }),
  find: async (): Promise<Json> => ({ status: world.found }),
  pay: async (orderId: string, paid: number): Promise<Json> => {
    world.payouts++;
    return { orderId, amount: paid };
  },
};

const { pay, find, cancel } = world;

export { cancel, pay };

/** Resets the state before each test. */
export function resetWorld(): void {
  Object.assign(world, {
    status: 'delivered',
    payouts: 0,
    cancelled: 0,
    found: 'none',
    pay,
    find,
    cancel,
  });
}

export function openRefundGate(directory: string): Promise<TestGate> {
  return openTestGate({
    directory,
    policy,
    tools: {
      'order.get': async ({ arguments: { id } }) => ({
        id: id as string,
        status: world.status,
        total: 30_000,
      }),
      'refund.find': () => world.find(),
      'refund.cancel': () => world.cancel(),
      'refund.issue': ({ arguments: given }) =>
        world.pay(String(given.orderId), Number(given.amount)),
    },
  });
}

export const ada = { actor: 'agent:ada' as const };

export const look = (id: string): Proposal => ({
  ...ada,
  tool: 'order.get',
  arguments: { id },
});

export const refund = (orderId: string, paid: number, more: object = {}): Proposal => ({
  ...ada,
  tool: 'refund.issue',
  arguments: { orderId, amount: paid, ...more },
});
