import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Act,
  createClock,
  createIdentifiers,
  fault,
  openSigningKey,
  type Proposal,
  redactSecrets,
  systemRandom,
} from '../kernel/index.ts';
import { type Ledger, openLedger, Projections, rebuildRows } from '../ledger/index.ts';
// The gate knows no adapter; its test needs a real one.
import { openSqliteReader, openSqliteStore } from '../ledger/sqlite/store.ts';
import { createAct, recoverInterrupted } from './act.ts';
import { adoptPolicy } from './adopt-policy.ts';
import { adoptedPolicy } from './policy.ts';
import { proposals } from './proposals.ts';
import { replayDecisions } from './replay.ts';
import { tasks } from './task.ts';

let directory: string;
let ledger: Ledger;
let act: Act;

async function open(): Promise<void> {
  const clock = createClock();
  ledger = await openLedger({
    store: openSqliteStore({ file: join(directory, 'ledger.db'), workspace: 'default' }),
    clock,
    random: systemRandom,
    redact: redactSecrets,
    key: openSigningKey(join(directory, 'key.pem')),
    projections: [proposals, tasks, adoptedPolicy],
  });
  act = createAct(deps());
}

function deps(): Parameters<typeof createAct>[0] {
  const makeIdentifier = createIdentifiers(createClock(), systemRandom);
  return { ledger, makeIdentifier, executor: 'here' };
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'surety-act-'));
  await open();
});
afterEach(async () => {
  await ledger.close();
  rmSync(directory, { recursive: true });
});

const refund: Proposal = {
  actor: 'person:ada',
  tool: 'payments.refund',
  arguments: { order: 'o1', amount: 2999 },
  key: 'refund-o1',
};

async function kinds(): Promise<string[]> {
  return (await ledger.entries(2, 100)).map(({ kind }) => kind);
}

// proves: gate.durable
test('the grant is durable before the effect, the outcome before the answer', async () => {
  let seenDuringRun: string[] = [];
  const outcome = await act(refund, async () => {
    seenDuringRun = await kinds();
    return { charge: 'c1' };
  });
  expect(seenDuringRun).toEqual(['proposal-granted']);
  expect(outcome).toMatchObject({ status: 'committed', value: { charge: 'c1' } });
  expect(await kinds()).toEqual(['proposal-granted', 'proposal-committed']);
});

// proves: gate.once
test('50 identical proposals at once have one effect', async () => {
  let effects = 0;
  const attempts = Array.from({ length: 50 }, () =>
    act(refund, async () => ({ effect: ++effects })).catch((error) => error),
  );
  const answers = await Promise.all(attempts);
  expect(effects).toBe(1);
  expect(answers.filter(({ code }) => code === 'PROPOSAL_IN_FLIGHT')).toHaveLength(49);
  expect(await act(refund, async () => ({ effect: ++effects }))).toMatchObject({
    status: 'committed',
    value: { effect: 1 },
  });
});

// proves: gate.once
test('the same key with other arguments, and a failed effect, are told as what they are', async () => {
  await act(refund, () => Promise.reject(fault('NOT_FOUND', { what: 'order o1' })));
  expect(await act(refund, async () => ({}))).toMatchObject({
    status: 'failed',
    fault: { code: 'NOT_FOUND', message: 'There is no order o1.' },
  });
  const passing = { ...refund, key: 'refund-o1-again' };
  await act(passing, () => Promise.reject(fault('STORE_UNAVAILABLE', { reason: 'it is away' })));
  expect(await act(passing, async () => ({}))).toMatchObject({
    status: 'failed',
    fault: { code: 'PROPOSAL_FAILED', retryable: false, remedy: expect.stringContaining('new') },
  });
  const other = { ...refund, arguments: { order: 'o1', amount: 1 } };
  await expect(act(other, async () => ({}))).rejects.toMatchObject({ code: 'PROPOSAL_KEY_REUSED' });
  const elsewhere = { ...refund, tool: 'payments.other' };
  expect(await act(elsewhere, async () => ({ done: 1 }))).toMatchObject({ status: 'committed' });
});

// proves: gate.no-policy, gate.denial
test('an agent without a policy is denied with a remedy, and the denial is recorded', async () => {
  let effects = 0;
  const denied = act({ ...refund, actor: 'agent:coder' }, async () => ({ effect: ++effects }));
  await expect(denied).rejects.toMatchObject({
    code: 'PROPOSAL_DENIED',
    remedy: expect.stringContaining('surety.yaml'),
  });
  expect(effects).toBe(0);
  expect(await kinds()).toEqual(['proposal-denied']);
});

// proves: gate.unknown
test('what was open when the process died is unknown, and never executed again', async () => {
  let started = 0;
  void act(refund, () => {
    started++;
    return new Promise<never>(() => undefined);
  });
  await expect.poll(() => started, { timeout: 20_000 }).toBe(1);
  await ledger.close();
  await open();
  expect(await recoverInterrupted(deps())).toHaveLength(1);
  expect(await recoverInterrupted(deps())).toEqual([]);
  expect(await act(refund, async () => ({ effect: ++started }))).toMatchObject({
    status: 'unknown',
  });
  expect(started).toBe(1);
});

test('what another executor left open is not ours to judge', async () => {
  void act(refund, () => new Promise<never>(() => undefined));
  await expect.poll(kinds, { timeout: 20_000 }).toEqual(['proposal-granted']);
  expect(await recoverInterrupted({ ...deps(), executor: 'elsewhere' })).toEqual([]);
});

// proves: gate.rows
test('the rows of the gate follow from the chain', async () => {
  await act(refund, async () => ({ charge: 'c1' }));
  await act({ ...refund, key: 'other' }, () => Promise.reject(new Error('no')));
  const reader = openSqliteReader({ file: join(directory, 'ledger.db'), workspace: 'default' });
  const { announcedKeys } = await import('../ledger/index.ts');
  const rebuilt = await rebuildRows(
    reader,
    new Projections([announcedKeys, proposals, tasks, adoptedPolicy]),
  );
  await reader.close();
  expect(rebuilt).toMatchObject({ differences: [], entries: 5 });
  expect(rebuilt.rows).toBeGreaterThan(4);
});

// proves: gate.replay
test('every decision can be made again from the chain, and one that was bent is found', async () => {
  const agent = { ...refund, actor: 'agent:coder' as const };
  const attempt = (key: string) => act({ ...agent, key }, async () => ({})).catch(() => undefined);
  await attempt('before any policy');
  const policy = { agents: { coder: { tools: ['payments.refund'] } } };
  await adoptPolicy(ledger, policy, 'person:ada');
  await adoptPolicy(ledger, policy, 'person:ada');
  await attempt('with a policy');
  await adoptPolicy(ledger, { agents: {} }, 'person:ada');
  await attempt('after it was taken back');
  expect((await kinds()).filter((kind) => kind !== 'proposal-committed')).toEqual([
    'proposal-denied',
    'policy-adopted',
    'proposal-granted',
    'policy-adopted',
    'proposal-denied',
  ]);
  const replay = async () => {
    const reader = openSqliteReader({ file: join(directory, 'ledger.db'), workspace: 'default' });
    const replayed = await replayDecisions(
      reader,
      new Projections([proposals, tasks, adoptedPolicy]),
    );
    await reader.close();
    return replayed;
  };
  expect(await replay()).toEqual({ decisions: 3, differences: [] });
  const body = {
    proposal: 'prop_x',
    tool: 'payments.refund',
    argumentsHash: '',
    facts: {},
    executor: 'x',
  };
  const inputs = { policy: null, task: null };
  await ledger.append({
    kind: 'proposal-granted',
    actor: 'agent:coder',
    body: { ...body, inputs },
  });
  expect((await replay()).differences).toHaveLength(1);
});
