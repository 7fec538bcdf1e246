import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json } from '../kernel/index.ts';
// The gate imports no adapter; its tests need a real one.
import { openSqliteReader } from '../ledger/sqlite/store.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';

const any = { type: 'object', properties: {} };
const policy: PolicyDocument = {
  version: 1,
  tools: {
    look: { effect: 'read', arguments: any },
    'look.keyed': { effect: 'read', arguments: any, governance: { key: '"once"' } },
    'look.locked': {
      effect: 'read',
      arguments: any,
      governance: { concurrency: { lock: '"door"' } },
    },
    'look.closely': {
      effect: 'read',
      arguments: any,
      produces: [{ evidence: 'seen', subject: '"it"' }],
    },
    'look.twice': {
      effect: 'read',
      arguments: any,
      results: [{ rule: 'odd', that: 'result == 2' }],
    },
    'look.costly': {
      effect: 'read',
      arguments: any,
      governance: { cost: { money: '10' }, actualCost: { money: 'result.paid' } },
    },
    change: { effect: 'mutating', arguments: any },
    'change.locked': {
      effect: 'mutating',
      arguments: any,
      governance: { concurrency: { lock: '"door"' } },
    },
    'change.costly': {
      effect: 'mutating',
      arguments: any,
      governance: { key: '"once"', cost: { money: '10' }, actualCost: { money: 'result.paid' } },
    },
  },
  agents: { ada: { tools: ['*'], budgets: [{ dimension: 'money', limit: 100 }] } },
};

let directory: string;
let gate: TestGate;
beforeEach(async () => {
  directory = makeDirectory();
  gate = await openTestGate({ directory, policy });
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const call = (tool: string) => ({ actor: 'agent:ada', tool, arguments: {} }) as const;
const isStep = ({ kind }: { readonly kind: string }): boolean => kind.startsWith('proposal-');
const [grant, ending] = ['proposal-granted', 'proposal-committed'];

async function steps(): Promise<string[]> {
  return (await gate.ledger.entries(2, 100)).filter(isStep).map(({ kind }) => kind);
}

/** What is on disk, without asking the process that writes it. */
async function storedSteps(): Promise<string[]> {
  const reader = openSqliteReader({ file: join(directory, 'ledger.db'), workspace: 'default' });
  const entries = await reader.entries(2, 100).finally(() => reader.close());
  return entries.filter(isStep).map(({ kind }) => kind);
}

// proves: gate.durable
test.each([['look'], ['change'], ['look.keyed']])(
  'grants %s durably, answers, and records its outcome with the next entry',
  async (tool) => {
    let seenDuringRun: string[] = [];
    const outcome = await gate.actPromptly(call(tool), async () => {
      seenDuringRun = await storedSteps();
      return 1;
    });
    expect(outcome).toMatchObject({ status: 'committed', value: 1 });
    expect(seenDuringRun).toEqual([grant]);
    expect(await storedSteps()).toEqual([grant]);
    await gate.act(call('look.twice'), async () => 2);
    expect(await storedSteps()).toEqual([grant, ending, grant, ending]);
    const [, told, next] = (await gate.ledger.entries(2, 100)).filter(isStep);
    expect(next?.at).toBe(told?.at);
    expect(await gate.rebuild()).toMatchObject({ differences: [] });
  },
);

test('shows the outcome of a call that was answered to everybody who reads', async () => {
  await gate.actPromptly(call('change'), async () => 1);
  expect(await steps()).toEqual([grant, ending]);
});

test('records the outcome without a next entry', async () => {
  await gate.actPromptly(call('look'), async () => 1);
  await expect.poll(storedSteps).toEqual([grant, ending]);
});

test.each([['look'], ['change']])(
  'records the outcome of %s before the ledger closes',
  async (tool) => {
    await gate.actPromptly(call(tool), async () => 1);
    await gate.close();
    expect(await storedSteps()).toEqual([grant, ending]);
    gate = await openTestGate({ directory });
    expect(await gate.recoverInterrupted()).toEqual([]);
  },
);

// proves: gate.durable
test.each([['look.locked'], ['look.closely'], ['look.twice'], ['change.locked']])(
  'records %s before the answer, because something depends on it',
  async (tool) => {
    await gate.actPromptly(call(tool), async () => 1);
    expect((await storedSteps()).length).toBeGreaterThan(1);
  },
);

// proves: gate.durable
test('records a failed read before the answer', async () => {
  await gate.actPromptly(call('look'), () => Promise.reject(new Error('no')));
  expect(await storedSteps()).toEqual([grant, 'proposal-failed']);
});

/** As a killed process leaves it: the grant is on the chain, the outcome beside it. */
async function answerAndDie(tool: string, value: Json): Promise<void> {
  const file = join(directory, 'outcomes.jsonl');
  await gate.actPromptly(call(tool), async () => value);
  const kept = readFileSync(file);
  const copy = makeDirectory();
  for (const name of ['ledger.db', 'ledger.db-wal', 'key.pem', 'grant-keys.json']) {
    writeFileSync(join(copy, name), readFileSync(join(directory, name)), { mode: 0o600 });
  }
  writeFileSync(join(copy, 'outcomes.jsonl'), kept);
  await gate.close();
  removeDirectory(directory);
  directory = copy;
  gate = await openTestGate({ directory });
}

// proves: gate.durable, gate.kill
test('takes the outcome over from a process that was killed after the answer', async () => {
  await answerAndDie('change.costly', { paid: 7, password: 'correct-horse-1' });
  expect(await steps()).toEqual([grant]);
  expect(await gate.recoverInterrupted()).toEqual([]);
  expect(await steps()).toEqual([grant, ending]);
  const entry = (await gate.ledger.entries(2, 100)).find(({ kind }) => kind === ending);
  expect(entry?.body.settled).toMatchObject([{ reserved: 10, actual: 7 }]);
  const repeated = await gate.act(call('change.costly'), async () => 'again');
  expect(repeated).toMatchObject({ value: { paid: 7, password: '[redacted]' } });
  expect(await gate.rebuild()).toMatchObject({ differences: [] });
  expect(() => readFileSync(join(directory, 'outcomes.jsonl'))).toThrow('ENOENT');
});

// proves: gate.durable, gate.kill
test('charges a read that was answered before the process was killed', async () => {
  await answerAndDie('look.costly', { paid: 7 });
  expect(await gate.recoverInterrupted()).toEqual([]);
  const [, entry] = (await gate.ledger.entries(2, 100)).filter(isStep);
  expect(entry).toMatchObject({ kind: ending, body: { settled: [{ reserved: 10, actual: 7 }] } });
});

test('takes a call for interrupted if its outcome was cut off', async () => {
  await answerAndDie('change', 'x'.repeat(100));
  const file = join(directory, 'outcomes.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 100));
  expect(await gate.recoverInterrupted()).toHaveLength(1);
  expect(await steps()).toEqual([grant, 'proposal-unknown']);
});
