import { afterEach, beforeEach, expect, test } from 'vitest';
import { fault, type Json } from '../kernel/index.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';
import { gateLimits } from './limits.ts';

const steps = [
  {
    reconcile: {
      read: 'find',
      with: { key: 'key' },
      committed: 'read.status == "done"',
      failed: 'read.status == "none"',
    },
  },
  { retry: { times: 2, backoff: '1ms' } },
];
const [read] = steps;

const policy: PolicyDocument = {
  version: 1,
  tools: {
    find: {
      effect: 'read',
      arguments: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
    },
    move: { effect: 'mutating', arguments: { type: 'object' }, recovery: { steps } },
    put: { effect: 'idempotent', arguments: { type: 'object' }, recovery: { steps } },
    set: {
      effect: 'idempotent',
      arguments: { type: 'object' },
      recovery: { steps: [...steps, ...(read ? [read] : [])] },
    },
  },
  agents: { ada: { tools: ['move', 'put', 'set'] } },
};

const inDoubt = () => Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));
let directory: string;
let gate: TestGate;
let found: string;
let keys: unknown[];
let call: () => Promise<Json>;

beforeEach(async () => {
  directory = makeDirectory();
  keys = [];
  const run = ({ key }: { key: string | undefined }): Promise<Json> => {
    keys.push(key);
    return call();
  };
  const find = async (): Promise<Json> => {
    if (found === '') throw new Error('nobody answers');
    return { status: found };
  };
  const tools = { find, move: run, put: run, set: run };
  gate = await openTestGate({ directory, policy, tools });
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const propose = (tool: string) =>
  gate.propose({ actor: 'agent:ada', tool, arguments: {}, key: 'once' });

/** What is read, how often each tool is called in all, and how it ends. */
test.each<[string, string, number, string]>([
  ['move', 'who knows', 1, 'unknown'],
  ['move', 'none', 2, 'unknown'],
  ['move', 'done', 1, 'committed'],
  ['put', 'who knows', 3, 'unknown'],
  ['put', 'none', 3, 'unknown'],
  ['put', 'done', 1, 'committed'],
])('recovery of "%s" whose read says "%s" makes %i calls and ends %s', async (...row) => {
  const [tool, says, times, status] = row;
  [found, call] = [says, inDoubt];
  expect(await propose(tool)).toMatchObject({ status });
  expect(keys).toHaveLength(times);
  expect(new Set(keys).size).toBe(1);
});

test('a successful retry gives the outcome', async () => {
  found = 'none';
  call = () => (keys.length < 2 ? inDoubt() : Promise.resolve({ moved: true }));
  expect(await propose('move')).toMatchObject({ status: 'committed', value: { moved: true } });
  expect(await propose('move')).toMatchObject({ status: 'committed', value: { moved: true } });
  expect(keys).toHaveLength(2);
});

test('a retry in doubt counts more than the failure before it', async () => {
  const unsent = () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
  found = '';
  call = () => (keys.length === 2 ? inDoubt() : unsent());
  expect(await propose('set')).toMatchObject({ status: 'unknown' });
  const lookAgain = async (): Promise<void> => {
    gate.clock.forward(gateLimits.recoveryWaitMsMax);
    await gate.maintain((error) => {
      throw error;
    });
  };
  await lookAgain();
  await expect(propose('set')).rejects.toMatchObject({ code: 'PROPOSAL_IN_FLIGHT' });
  found = 'done';
  await lookAgain();
  expect(await propose('set')).toMatchObject({ status: 'committed' });
  expect(keys).toHaveLength(3);
});
