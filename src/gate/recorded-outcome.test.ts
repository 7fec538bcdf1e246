import { afterEach, beforeEach, expect, test } from 'vitest';
import { fault } from '../kernel/index.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';

const anything = { type: 'object', properties: { order: { type: 'string' } } };

let directory: string;
let gate: TestGate;

beforeEach(async () => {
  directory = makeDirectory();
  const failing = () => Promise.reject(fault('TOOL_FAILED', { tool: 'pay', reason: 'no account' }));
  gate = await openTestGate({
    directory,
    policy: {
      version: 1,
      tools: {
        pay: { effect: 'mutating', arguments: anything, governance: { key: 'arguments.order' } },
        send: { effect: 'mutating', arguments: anything },
      },
      agents: { ada: { tools: ['*'] } },
    },
    tools: { pay: failing, send: failing },
  });
});

afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

test('the recorded failure of a contract key says which arguments a retry has to change', async () => {
  const proposal = { actor: 'agent:ada', tool: 'pay', arguments: { order: 'o-1' } } as const;
  const first = await gate.propose(proposal);
  expect(first).toMatchObject({ status: 'failed' });
  expect(await gate.propose(proposal)).toMatchObject({
    status: 'failed',
    proposal: first.proposal,
    fault: {
      remedy: expect.stringContaining('change arguments so that the key differs (arguments.order)'),
    },
  });
});

test('the recorded failure of a caller’s key says that a retry needs another key', async () => {
  const proposal = { actor: 'agent:ada', tool: 'send', arguments: {}, key: 'k' } as const;
  await gate.propose(proposal);
  expect(await gate.propose(proposal)).toMatchObject({
    fault: { remedy: expect.stringContaining('To try again, use another key.') },
  });
});
