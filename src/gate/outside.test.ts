import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../kernel/index.ts';
import type { ExecutorReport } from './api-schema.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';
import { gateLimits } from './limits.ts';

type Contract = NonNullable<PolicyDocument['tools']>[string];

let directory: string;
let gate: TestGate;

beforeEach(() => {
  directory = makeDirectory();
});
afterEach(async () => {
  expect((await gate.rebuild()).differences).toEqual([]);
  await gate.close();
  removeDirectory(directory);
});

const cost = { cost: { money: '60' }, actualCost: { money: 'result.paid' } };

async function open(pay: Partial<Contract>): Promise<void> {
  const anything = { type: 'object' };
  const policy: PolicyDocument = {
    version: 1,
    tools: {
      find: { effect: 'read', arguments: anything },
      pay: { effect: 'mutating', arguments: anything, governance: cost, ...pay },
    },
    agents: {
      ada: {
        tools: ['*'],
        budgets: [{ dimension: 'money', limit: 100 }],
        limits: { sameProposal: 100, sameError: 100 },
      },
    },
  };
  gate = await openTestGate({ directory, policy, tools: { find: async () => ({ count: 0 }) } });
}

/** How a call by an executor that redeems and reports ends, or the rule that denies it. */
async function payOutside(report: ExecutorReport): Promise<string> {
  const granted = await gate.grant(payment, 'bank').catch((error) => error);
  if (granted.status !== 'granted') return String(granted.details?.rule);
  await gate.redeem(granted.token);
  return (await gate.settle(granted.token, report)).status;
}

async function money(): Promise<unknown> {
  for await (const { value } of gate.ledger.rows<JsonObject>('account/agent:ada')) {
    return value.money;
  }
  return undefined;
}

const payment = { actor: 'agent:ada', tool: 'pay', arguments: {} } as const;
const failed = { status: 'failed', code: 'NO', message: 'closed' } as const;
const cheap = { status: 'committed', value: { paid: 0 } } as const;

// proves: gate.budgets
describe('the budget of a call by an outside executor', () => {
  test.each<[string, ExecutorReport]>([
    ['a failure', failed],
    ['a lower cost', cheap],
  ])('is not given back because the executor reports %s', async (_, report) => {
    await open({});
    expect(await payOutside(report)).toBe(report.status);
    expect(await payOutside(report)).toBe('budget/money');
    expect(await money()).toMatchObject({ spent: 60, reserved: 0 });
  });

  test('is given back on the report of an executor that the contract trusts', async () => {
    await open({ governance: { ...cost, reported: true } });
    for (const report of [failed, cheap, failed]) {
      expect(await payOutside(report)).toBe(report.status);
    }
    expect(await money()).toMatchObject({ spent: 0, reserved: 0 });
  });

  test('is given back if the runtime itself reads that there was no effect', async () => {
    const reconcile = { read: 'find', committed: 'read.count > 0.0', failed: 'read.count == 0.0' };
    await open({ recovery: { steps: [{ reconcile }] } });
    for (const _ of [1, 2, 3]) expect(await payOutside(failed)).toBe('failed');
    expect(await money()).toMatchObject({ spent: 0, reserved: 0 });
  });

  test('is given back if a stop prevents the call before it begins', async () => {
    await open({});
    const proposal = { actor: 'agent:ada', tool: 'pay', arguments: {} } as const;
    const granted = await gate.grant(proposal, 'bank');
    if (granted.status !== 'granted') throw new Error(granted.status);
    await gate.stop({ scope: 'tool:pay', reason: 'double payouts', actor: 'person:olga' });
    await expect(gate.redeem(granted.token)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    expect(await money()).toMatchObject({ spent: 0, reserved: 0 });
  });
});

// proves: grant.once
test('a grant for a caller that begins at once is used up as it is made', async () => {
  await open({});
  const granted = await gate.grant(payment, 'bank', { begins: true });
  if (granted.status !== 'granted') throw new Error(granted.status);
  expect((await gate.kinds()).slice(-2)).toEqual(['proposal-granted', 'proposal-executing']);
  await expect(gate.redeem(granted.token)).rejects.toThrow('GRANT_USED');
  expect(await gate.settle(granted.token, cheap)).toMatchObject({ status: 'committed' });
  expect(await gate.rebuild()).toMatchObject({ differences: [] });
  expect(await gate.replay()).toMatchObject({ different: 0 });
});

test('a denied caller that would begin at once begins nothing', async () => {
  await open({});
  await gate.stop({ scope: 'tool:pay', reason: 'double payouts', actor: 'person:olga' });
  const denied = await gate.grant(payment, 'bank', { begins: true }).catch(({ code }) => code);
  expect(denied).toBe('PROPOSAL_DENIED');
  expect(await gate.kinds()).not.toContain('proposal-executing');
});

test('reads that are repeated and reports that are refused are stored under the subject of the call', async () => {
  await open({ reads: { found: { tool: 'find' } } });
  const call = { actor: 'agent:ada', tool: 'pay', arguments: {}, subject: 'customer-7' } as const;
  const granted = await gate.grant(call, 'bank');
  if (granted.status !== 'granted') throw new Error(granted.status);
  await expect(gate.settle(granted.token, cheap)).rejects.toThrow('GRANT_NOT_REDEEMED');
  gate.clock.forward(gateLimits.readsFreshMs);
  await gate.redeem(granted.token);
  const contents: string[] = [];
  for (const { kind, seq } of await gate.ledger.entries(1, 100)) {
    for (const { name, subject } of await gate.ledger.contents(seq)) {
      if (kind !== 'policy-adopted') contents.push(`${kind} ${name} ${subject}`);
    }
  }
  expect(contents).toEqual([
    'proposal-granted arguments customer-7',
    'proposal-granted reads customer-7',
    'report-refused report customer-7',
    'proposal-executing reads customer-7',
  ]);
});

test(`at most ${gateLimits.refusedAttemptsPerMinuteMax} forged grants a minute are recorded`, async () => {
  await open({});
  const recorded = async (): Promise<number> =>
    (await gate.kinds()).filter((kind) => kind === 'attempt-refused').length;
  const forge = (): Promise<unknown> => gate.redeem('forged').catch(({ code }) => code);
  for (let sent = 0; sent < gateLimits.refusedAttemptsPerMinuteMax + 5; sent++) {
    expect(await forge()).toBe('GRANT_REFUSED');
  }
  expect(await recorded()).toBe(gateLimits.refusedAttemptsPerMinuteMax);
  gate.clock.forward(60_000);
  await forge();
  expect(await recorded()).toBe(gateLimits.refusedAttemptsPerMinuteMax + 1);
  expect((await gate.ledger.entries(1, 1_000)).at(-1)?.body).toMatchObject({ leftOut: 5 });
  gate.clock.forward(60_000);
  await gate.maintain(() => undefined);
  expect(await recorded()).toBe(gateLimits.refusedAttemptsPerMinuteMax + 1);
});

test('repeated redemptions of a grant leave a bounded number of entries and count as requests', async () => {
  await open({});
  const granted = await gate.grant(payment, 'bank');
  if (granted.status !== 'granted') throw new Error(granted.status);
  await gate.redeem(granted.token);
  const most = gateLimits.refusedAttemptsPerMinuteMax;
  for (let sent = 0; sent < most + 5; sent++) {
    await expect(gate.redeem(granted.token)).rejects.toMatchObject({ code: 'GRANT_REFUSED' });
  }
  const bodies = async () =>
    (await gate.ledger.entries(1, 1_000))
      .filter(({ kind }) => kind === 'attempt-refused')
      .map(({ body }) => body);
  expect(await bodies()).toHaveLength(most);
  expect(gate.charged).toHaveLength(most + 5);
  gate.clock.forward(60_000);
  await gate.maintain(() => undefined);
  await gate.maintain(() => undefined);
  expect((await bodies()).slice(most)).toMatchObject([{ what: 'redemption', leftOut: 5 }]);
});

test('contradicting reports leave a bounded number of entries', async () => {
  await open({});
  const granted = await gate.grant(payment, 'bank');
  if (granted.status !== 'granted') throw new Error(granted.status);
  for (let sent = 0; sent < gateLimits.refusedAttemptsPerMinuteMax + 5; sent++) {
    await expect(gate.settle(granted.token, cheap)).rejects.toThrow('GRANT_NOT_REDEEMED');
  }
  const refused = (await gate.kinds()).filter((kind) => kind === 'report-refused');
  expect(refused).toHaveLength(gateLimits.refusedAttemptsPerMinuteMax);
});
