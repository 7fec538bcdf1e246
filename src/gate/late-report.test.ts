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

const anything = { type: 'object' };

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
  const ada = { tools: ['*'], budgets: [{ dimension: 'money', limit: 100 }] };
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
