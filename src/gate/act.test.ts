import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fault, type Proposal, sha256 } from '../kernel/index.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';

let directory: string;
let gate: TestGate;

const natives = ['payments.refund', 'payments.other'];

async function open(): Promise<void> {
  gate = await openTestGate({ directory, natives });
}

beforeEach(async () => {
  directory = makeDirectory();
  await open();
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const refund: Proposal = {
  actor: 'person:ada',
  tool: 'payments.refund',
  arguments: { order: 'o1', amount: 2999 },
  key: 'refund-o1',
};

// proves: gate.durable
test('stores the grant before the effect and the outcome before the answer', async () => {
  let seenDuringRun: string[] = [];
  const outcome = await gate.act(refund, async () => {
    seenDuringRun = await gate.kinds();
    return { charge: 'c1' };
  });
  expect(seenDuringRun).toEqual(['proposal-granted']);
  expect(outcome).toMatchObject({ status: 'committed', value: { charge: 'c1' } });
  expect(await gate.kinds()).toEqual(['proposal-granted', 'proposal-committed']);
});

// proves: gate.once
test('executes one effect for 50 identical concurrent proposals', async () => {
  let effects = 0;
  const attempts = Array.from({ length: 50 }, () =>
    gate.act(refund, async () => ({ effect: ++effects })).catch((error) => error),
  );
  const answers = await Promise.all(attempts);
  expect(effects).toBe(1);
  expect(answers.filter(({ code }) => code === 'PROPOSAL_IN_FLIGHT')).toHaveLength(49);
  expect(await gate.act(refund, async () => ({ effect: ++effects }))).toMatchObject({
    status: 'committed',
    value: { effect: 1 },
  });
});

// proves: gate.once
test('gives the outcome of the call in flight to every identical proposal that waits', async () => {
  let effects = 0;
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { effect: ++effects };
  };
  const waiting = { ...refund, waitMs: 20_000 };
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => gate.act(waiting, slow)));
  expect(effects).toBe(1);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ value: { effect: 1 } });
});

// proves: gate.once
test('reports a reused key with different arguments, and a failed effect', async () => {
  await gate.act(refund, () => Promise.reject(fault('NOT_FOUND', { what: 'order o1' })));
  expect(await gate.act(refund, async () => ({}))).toMatchObject({
    status: 'failed',
    fault: { code: 'NOT_FOUND', message: 'There is no order o1.' },
  });
  const passing = { ...refund, key: 'refund-o1-again' };
  const away = fault('STORE_UNAVAILABLE', { reason: 'it is away' });
  await gate.act(passing, () => Promise.reject(away));
  expect(await gate.act(passing, async () => ({}))).toMatchObject({
    status: 'failed',
    fault: { code: 'PROPOSAL_FAILED', retryable: false, remedy: expect.stringContaining('new') },
  });
  const other = { ...refund, arguments: { order: 'o1', amount: 1 } };
  await expect(gate.act(other, async () => ({}))).rejects.toMatchObject({
    code: 'PROPOSAL_KEY_REUSED',
  });
  const elsewhere = { ...refund, tool: 'payments.other' };
  expect(await gate.act(elsewhere, async () => ({ done: 1 }))).toMatchObject({
    status: 'committed',
  });
});

// proves: gate.no-policy, gate.denial
test('denies an agent without a policy with a remedy, and records the denial', async () => {
  let effects = 0;
  const denied = gate.act({ ...refund, actor: 'agent:coder' }, async () => ({ effect: ++effects }));
  await expect(denied).rejects.toMatchObject({
    code: 'PROPOSAL_DENIED',
    remedy: expect.stringContaining('policy'),
    details: { rule: 'policy.tools', repeats: 0, final: false },
  });
  expect(effects).toBe(0);
  expect(await gate.kinds()).toEqual(['proposal-denied']);
});

// proves: gate.unknown
test('marks calls open at a crash as unknown and never executes them again', async () => {
  let started = 0;
  void gate.act(refund, () => {
    started++;
    return new Promise<never>(() => undefined);
  });
  await expect.poll(() => started).toBe(1);
  await gate.close();
  await open();
  expect(await gate.recoverInterrupted()).toHaveLength(1);
  expect(await gate.recoverInterrupted()).toEqual([]);
  expect(await gate.act(refund, async () => ({ effect: ++started }))).toMatchObject({
    status: 'unknown',
  });
  expect(started).toBe(1);
});

// proves: gate.rows
test('rebuilds the rows of the gate from the chain', async () => {
  await gate.act(refund, async () => ({ charge: 'c1' }));
  await gate.act({ ...refund, key: 'other' }, () => Promise.reject(new Error('no')));
  const rebuilt = await gate.rebuild();
  expect(rebuilt).toMatchObject({ differences: [], entries: 5 });
  expect(rebuilt.rows).toBeGreaterThan(4);
});

describe('replay', () => {
  // proves: gate.replay
  test('repeats every decision and finds one that was tampered with', async () => {
    const agent = { ...refund, actor: 'agent:coder' as const };
    const attempt = (key: string) =>
      gate.act({ ...agent, key }, async () => ({})).catch(() => undefined);
    await attempt('before any policy');
    const policy = { version: 1, agents: { coder: { tools: ['payments.refund'] } } } as const;
    await gate.adopt({ ...policy, agents: { coder: { tools: ['payments.refund'] } } });
    await gate.adopt({ ...policy, agents: { coder: { tools: ['payments.refund'] } } });
    await attempt('with a policy');
    await gate.adopt({ version: 1 });
    await attempt('after it was taken back');
    expect((await gate.kinds()).filter((kind) => kind !== 'proposal-committed')).toEqual([
      'proposal-denied',
      'policy-adopted',
      'proposal-granted',
      'policy-adopted',
      'proposal-denied',
    ]);
    const none = { forgotten: 0, unread: 0, different: 0 };
    const same = { decisions: 3, ...none, changes: {}, differences: [] };
    expect(await gate.replay()).toEqual(same);
    const argumentsHash = sha256('{}');
    const body = { proposal: 'prop_x', tool: 'payments.refund', argumentsHash, executor: 'x' };
    const contents = [{ name: 'arguments', subject: 'x', value: {} }];
    await gate.ledger.append({ kind: 'proposal-granted', actor: 'agent:coder', body, contents });
    expect(await gate.replay()).toMatchObject({ decisions: 4, different: 1 });
  });
});
