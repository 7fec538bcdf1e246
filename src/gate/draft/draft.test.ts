import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Actor, JsonObject } from '../../kernel/index.ts';
import { openSqliteReader } from '../../ledger/sqlite/store.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from '../gate.fixture.ts';
import { parsePolicy } from '../language/index.ts';
import { draftPolicy, type PolicyDraft } from './draft-policy.ts';

let directory: string;
let gate: TestGate;

beforeEach(async () => {
  directory = makeDirectory();
  gate = await openTestGate({
    directory,
    policy: { version: 1, mode: 'observe' },
    natives: ['task.open'],
  });
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

/** As an unguarded function that was wrapped: the gate runs it. */
const call = (actor: Actor, tool: string, given: JsonObject) =>
  gate.act({ actor, tool, arguments: given }, async () => null);

async function draft(): Promise<PolicyDraft> {
  const reader = openSqliteReader({ file: join(directory, 'ledger.db'), workspace: 'default' });
  return draftPolicy(reader).finally(() => reader.close());
}

// proves: gate.observe
test('observe mode allows and reports an unknown tool of an agent without a policy', async () => {
  expect(await call('agent:eve', 'unheard.of', {})).toMatchObject({ status: 'committed' });
  const granted = (await gate.ledger.entries(1, 100)).find(
    ({ kind }) => kind === 'proposal-granted',
  );
  expect(granted?.body).toMatchObject({ wouldBe: 'deny', rules: ['tool.unknown'] });
  expect(await gate.replay()).toMatchObject({ different: 0 });
});

// proves: gate.draft
describe('a draft', () => {
  async function work(): Promise<void> {
    for (let index = 0; index < 12; index++) {
      const agent: Actor = index % 2 === 0 ? 'agent:ada' : 'agent:bob';
      await call(agent, 'order.get', { id: `order-${index}` });
      await call(agent, 'refund.issue', {
        orderId: `order-${index}`,
        amount: 120 + index * 700,
        reason: index % 3 === 0 ? 'damaged' : 'late',
        ...(index % 4 === 0 ? { note: 'x'.repeat(index) } : {}),
        lines: [{ sku: 'a', count: index }],
      });
    }
    await call('agent:ada', 'task.open', { goal: 'x' });
  }

  test('covers the observed calls with rounded bounds and says how many calls support them', async () => {
    await work();
    const { text, tools, agents } = await draft();
    const policy = parsePolicy(text, { path: 'draft.yaml', natives: ['task.open'] });
    expect(tools).toEqual([
      { tool: 'order.get', times: 12 },
      { tool: 'refund.issue', times: 12 },
    ]);
    expect(agents).toEqual(['ada', 'bob']);
    expect(policy.mode).toBe('observe');
    expect(policy.contracts.get('refund.issue')?.schema).toEqual({
      type: 'object',
      required: ['amount', 'lines', 'orderId', 'reason'],
      properties: {
        orderId: { type: 'string', maxLength: 10 },
        amount: { type: 'integer', minimum: 100, maximum: 10_000 },
        reason: { type: 'string', enum: ['damaged', 'late'] },
        note: { type: 'string', maxLength: 10 },
        lines: {
          type: 'array',
          maxItems: 1,
          items: {
            type: 'object',
            required: ['count', 'sku'],
            properties: {
              sku: { type: 'string', enum: ['a'] },
              count: { type: 'integer', minimum: 0, maximum: 20 },
            },
          },
        },
      },
    });
    expect(text).toContain('# DRAFT: seen 12 times, 2 agents (ada, bob)');
    expect(text).toContain('# given 3 of 12 times');
    expect(text).toContain('from 120 to 7820');
    expect(text).toContain('Its name suggests a read');
    expect(policy.contracts.get('refund.issue')?.invariants).toMatchObject([
      { rule: 'after-order.get', soft: true, that: { text: '"order.get" in seen' } },
    ]);
    // Six calls of each agent, unless a minute ended in between.
    const [rate] = policy.contracts.get('refund.issue')?.rates ?? [];
    expect([2, 4, 6, 8, 10, 12]).toContain(rate?.max);
    expect([...(policy.agents.get('bob')?.tools ?? [])]).toEqual(['order.get', 'refund.issue']);
  });

  test('allows every call that it was made from', async () => {
    await work();
    const { text } = await draft();
    const policy = parsePolicy(text, { path: 'draft.yaml', natives: ['task.open'] });
    expect(await gate.replay({ policy })).toMatchObject({
      decisions: 25,
      different: 0,
      changes: {},
    });
    const strict = parsePolicy(text.replace('maximum: 10000', 'maximum: 5000'), { path: 'd.yaml' });
    expect(await gate.replay({ policy: strict })).toMatchObject({
      different: 5,
      changes: { 'allow → deny': 5 },
    });
  });

  test('accepts values of any shape and leaves out names that a policy cannot have', async () => {
    await call('agent:Eve.1', 'odd', {});
    await call('agent:ada', 'odd', { 'a b': null, c: [], d: [1, 'x', 2.5], e: true, 'f:': {} });
    await call('agent:ada', 'odd', { c: [[], [1]], d: -3, e: 'yes #no' });
    const { text, leftOut } = await draft();
    expect(leftOut).toEqual(['Eve.1']);
    const policy = parsePolicy(text, { path: 'draft.yaml', natives: [] });
    expect([...policy.contracts.keys()]).toEqual(['odd']);
  });

  test('of no calls is refused', async () => {
    await expect(draft()).rejects.toMatchObject({ code: 'DRAFT_EMPTY' });
  });
});
