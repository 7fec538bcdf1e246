import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json, JsonObject } from '../kernel/index.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';

let directory: string;
let gate: TestGate;
beforeEach(() => {
  directory = makeDirectory();
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const anything = { type: 'object', properties: { of: { type: 'integer' } } };

function policyWith(recovery: JsonObject): PolicyDocument {
  const governance = {
    cost: { money: '60' },
    concurrency: { lock: '"all"', lease: '60s' },
    reported: true,
  };
  const tools = {
    find: { effect: 'read', arguments: anything },
    cancel: { effect: 'idempotent', arguments: anything },
    pay: { effect: 'mutating', arguments: anything, governance, recovery },
  };
  const ada = { tools: ['*'], budgets: [{ dimension: 'money', limit: 200 }] };
  return { version: 1, tools, agents: { ada } } as unknown as PolicyDocument;
}

/** A call that its executor has begun and not reported in time. */
async function silentCall(): Promise<string> {
  const granted = await gate.grant({ actor: 'agent:ada', tool: 'pay', arguments: {} }, 'bank');
  if (granted.status !== 'granted') throw new Error(granted.status);
  await gate.redeem(granted.token);
  gate.clock.forward(61_000);
  return granted.token;
}

const lookAgain = (): Promise<void> =>
  gate.maintain((error) => {
    throw error;
  });

test('a late report of failure leaves the outcome to the read that the contract demands', async () => {
  const reconcile = { read: 'find', committed: 'read.count > 0.0', failed: 'read.count == 0.0' };
  let find = (): Promise<Json> => Promise.reject(new Error('away'));
  gate = await openTestGate({
    directory,
    policy: policyWith({ steps: [{ reconcile }] }),
    tools: { find: () => find() },
  });
  const token = await silentCall();
  await lookAgain();
  const report = { status: 'failed', code: 'NO', message: 'closed' } as const;
  await expect(gate.settle(token, report)).rejects.toMatchObject({ code: 'GRANT_REFUSED' });
  expect(await gate.kinds()).not.toContain('proposal-reconciled');
  find = async () => ({ count: 1 });
  gate.clock.forward(61_000);
  await lookAgain();
  const accounts: JsonObject[] = [];
  for await (const { value } of gate.ledger.rows<JsonObject>('account/agent:ada')) {
    accounts.push(value);
  }
  expect(accounts).toMatchObject([{ money: { reserved: 0, spent: 60 } }]);
});

test('a late report of success does not end a recovery that undoes the call', async () => {
  const undo = Promise.withResolvers<Json>();
  let cancelled = 0;
  const cancel = (): Promise<Json> => {
    cancelled++;
    return undo.promise;
  };
  const recovery = { steps: [{ compensate: { tool: 'cancel' } }] };
  gate = await openTestGate({ directory, policy: policyWith(recovery), tools: { cancel } });
  const token = await silentCall();
  const looked = lookAgain();
  await expect.poll(() => cancelled).toBe(1);
  const report = { status: 'committed', value: { paid: 1 } } as const;
  await expect(gate.settle(token, report)).rejects.toMatchObject({ code: 'GRANT_REFUSED' });
  undo.resolve({ done: true });
  await looked;
  expect((await gate.kinds()).slice(-3)).toContain('proposal-compensated');
});

test('a held call is not credited with the effect of a later call that held its lock', async () => {
  const { promise, resolve } = Promise.withResolvers<Json>();
  let payments = 0;
  const pay = (): Promise<Json> => {
    const isFirst = payments === 0 && !isBegun;
    isBegun = true;
    if (isFirst) return Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    payments++;
    return promise;
  };
  let isBegun = false;
  const reconcile = { read: 'find', committed: 'read.count > 0.0' };
  const policy = policyWith({ within: '1s', steps: [{ reconcile }] });
  const find = async (): Promise<Json> => ({ count: payments });
  gate = await openTestGate({ directory, policy, tools: { pay, find } });
  const first = { actor: 'agent:ada', tool: 'pay', arguments: { of: 1 } } as const;
  const { proposal } = await gate.propose(first);
  gate.clock.forward(61_000);
  const second = gate.propose({ ...first, arguments: { of: 2 } });
  await expect.poll(() => payments).toBe(1);
  await lookAgain();
  const row = await gate.ledger.transact({
    keys: [`proposal/${proposal}`],
    decide: (rows) => {
      const found = rows.get<JsonObject>(`proposal/${proposal}`);
      return { drafts: [], result: () => found };
    },
  });
  expect(row?.status).toBe('unknown');
  resolve({});
  expect((await second).status).toBe('committed');
});
