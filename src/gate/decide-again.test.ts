import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';
import { gateLimits } from './limits.ts';

/** Everything that a call can exhaust by itself: a rate, a lock, a budget, a loop, a trajectory. */
const policyWith = (description: string): PolicyDocument => ({
  version: 1,
  tools: {
    look: { effect: 'read', arguments: { type: 'object' } },
    pay: {
      description,
      effect: 'mutating',
      arguments: { type: 'object' },
      reads: { seen: { tool: 'look' } },
      preconditions: [
        { rule: 'open', that: 'reads.seen.open' },
        { rule: 'first', that: '!("pay" in begun) || begun.pay == 0' },
      ],
      governance: {
        cost: { money: '10' },
        rate: [{ max: 1, per: '1h', by: 'agent' }],
        concurrency: { max: 1, lock: '"all"' },
        approval: { role: 'approver', within: '1h' },
      },
    },
  },
  agents: {
    ada: {
      tools: ['pay'],
      budgets: [{ dimension: 'money', limit: 10 }],
      limits: { sameProposal: 1 },
    },
  },
});

let directory: string;
let gate: TestGate;
let isOpen: boolean;
let looks: number;

beforeEach(async () => {
  [isOpen, looks] = [true, 0];
  directory = makeDirectory();
  const look = async () => {
    looks++;
    return { open: isOpen };
  };
  gate = await openTestGate({ directory, policy: policyWith('one'), tools: { look } });
});
afterEach(async () => {
  expect((await gate.rebuild()).differences).toEqual([]);
  await gate.close();
  removeDirectory(directory);
});

async function approvedGrant(): Promise<string> {
  const proposal = { actor: 'agent:ada', tool: 'pay', arguments: {} } as const;
  const held = await gate.grant(proposal, 'bank').catch((error) => error);
  const { approval, argumentsHash } = held.details;
  const by = { actor: 'person:grace', roles: ['approver'], reason: '' } as const;
  await gate.approve({ approval, argumentsHash, ...by });
  const granted = await gate.grant(proposal, 'bank');
  if (granted.status !== 'granted') throw new Error(granted.status);
  looks = 0;
  return granted.token;
}

// proves: gate.grants-follow
test('a grant does not stand in its own way when it is decided again', async () => {
  const token = await approvedGrant();
  await gate.adopt(policyWith('two'));
  await gate.redeem(token);
  expect(await gate.kinds()).toContain('proposal-executing');
});

// proves: kernel.limits
test(`reads for a grant are repeated when it is redeemed after ${gateLimits.readsFreshMs} ms`, async () => {
  const token = await approvedGrant();
  gate.clock.forward(gateLimits.readsFreshMs);
  isOpen = false;
  await expect(gate.redeem(token)).rejects.toThrow('GRANT_OUTDATED');
  expect(looks).toBe(1);
  // It was never begun, so everything that it held is free.
  expect(await gate.kinds()).toContain('proposal-failed');
});

test('fresh reads for a grant are not repeated', async () => {
  const token = await approvedGrant();
  isOpen = false;
  await gate.redeem(token);
  expect(looks).toBe(0);
});

test('a grant has the time of this machine although the ledger was once a day ahead', async () => {
  const dayMs = 24 * 60 * 60 * 1_000;
  gate.clock.keepAfter(Date.now() + dayMs);
  const token = await approvedGrant();
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims.iat * 1_000).toBeLessThanOrEqual(Date.now());
  expect(claims.expMs).toBeLessThan(Date.now() + dayMs / 2);
  await gate.redeem(token);
});

describe('a grant under an old policy', () => {
  const payPolicy = (role: string, limit?: number): PolicyDocument => ({
    version: 1,
    tools: {
      pay: {
        effect: 'mutating',
        arguments: { type: 'object' },
        governance: { cost: { money: '60' }, approval: { role, within: '1h' } },
      },
    },
    agents: {
      ada: {
        tools: ['pay'],
        budgets: limit === undefined ? [] : [{ dimension: 'money', limit, per: '1d' }],
      },
    },
  });

  test.each([
    ['needs a larger reservation', 'approver', 100, 'money'],
    ['needs the approval of another role', 'admin', undefined, 'the role admin'],
  ])('is refused if the new policy %s', async (_, role, limit, reason) => {
    await gate.adopt(payPolicy('approver'));
    const token = await approvedGrant();
    await gate.adopt(payPolicy(role, limit));
    const refused = await gate.redeem(token).catch((error) => error);
    expect(refused.message).toContain('GRANT_OUTDATED');
    expect(refused.message).toContain(reason);
  });

  test('is redeemed if the new policy needs no more than what it reserved', async () => {
    await gate.adopt(payPolicy('approver', 100));
    const token = await approvedGrant();
    await gate.adopt(payPolicy('approver', 90));
    await gate.redeem(token);
    expect(await gate.kinds()).toContain('proposal-executing');
  });
});
