import { afterEach, beforeEach, expect, test } from 'vitest';
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
    change: { effect: 'mutating', arguments: any },
  },
  agents: { ada: { tools: ['*'] } },
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
const steps = async (): Promise<string[]> => {
  const kinds = await gate.kinds();
  return kinds.filter((kind) => kind.startsWith('proposal-'));
};

// proves: gate.durable
test('grants a mere read durably, answers, and records its outcome with the next entry', async () => {
  let seenDuringRun: string[] = [];
  const outcome = await gate.actPromptly(call('look'), async () => {
    seenDuringRun = await steps();
    return 1;
  });
  expect(outcome).toMatchObject({ status: 'committed', value: 1 });
  expect(seenDuringRun).toEqual(['proposal-granted']);
  await gate.act(call('change'), async () => 2);
  const [grant, ending] = ['proposal-granted', 'proposal-committed'];
  expect(await steps()).toEqual([grant, ending, grant, ending]);
  const [, told, next] = (await gate.ledger.entries(2, 100)).filter(({ kind }) =>
    kind.startsWith('proposal-'),
  );
  expect(next?.at).toBe(told?.at);
  expect(await gate.rebuild()).toMatchObject({ differences: [] });
});

test('records the outcome of a mere read without a next entry', async () => {
  await gate.actPromptly(call('look'), async () => 1);
  await expect.poll(steps).toEqual(['proposal-granted', 'proposal-committed']);
});

test('records the outcome of a mere read before the ledger closes', async () => {
  await gate.actPromptly(call('look'), async () => 1);
  await gate.close();
  gate = await openTestGate({ directory });
  expect(await steps()).toEqual(['proposal-granted', 'proposal-committed']);
  expect(await gate.recoverInterrupted()).toEqual([]);
});

// proves: gate.durable
test.each([['look.keyed'], ['look.locked'], ['look.closely'], ['look.twice'], ['change']])(
  'records %s before the answer, because something depends on it',
  async (tool) => {
    await gate.actPromptly(call(tool), async () => 1);
    expect((await steps()).length).toBeGreaterThan(1);
  },
);

// proves: gate.durable
test('records a failed read before the answer', async () => {
  await gate.actPromptly(call('look'), () => Promise.reject(new Error('no')));
  expect(await steps()).toEqual(['proposal-granted', 'proposal-failed']);
});
