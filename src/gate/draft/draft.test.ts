import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Actor, JsonObject } from '../../kernel/index.ts';
import { openSqliteReader } from '../../ledger/sqlite/store.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from '../gate.fixture.ts';
import { parsePolicy } from '../language/index.ts';
import { casesSchema } from '../rehearsal/case-document.ts';
import { runCases } from '../rehearsal/index.ts';
import { draftPolicy, type PolicyDraft } from './draft-policy.ts';
import type { ToolOffer } from './tool-offer.ts';

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

async function draft(offers: readonly ToolOffer[] = []): Promise<PolicyDraft> {
  const reader = openSqliteReader({ file: join(directory, 'ledger.db'), workspace: 'default' });
  return draftPolicy(reader, offers).finally(() => reader.close());
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
        orderId: { type: 'string', maxLength: 200 },
        amount: { type: 'integer', minimum: 100, maximum: 10_000 },
        reason: { type: 'string', enum: ['damaged', 'late'] },
        note: { type: 'string', maxLength: 10_000 },
        lines: {
          type: 'array',
          maxItems: 20,
          items: {
            type: 'object',
            required: ['count', 'sku'],
            properties: {
              sku: { type: 'string', enum: ['a'] },
              count: { type: 'integer', minimum: 0, maximum: 50 },
            },
          },
        },
      },
    });
    expect(text).toContain('# DRAFT: seen 12 times, 2 agents (ada, bob)');
    expect(text).toContain('# given 3 of 12 times');
    expect(text).toContain('from 120 to 7820');
    expect(text).toContain('# by its name ("get"), unchecked');
    expect(policy.contracts.get('order.get')?.effect).toBe('read');
    expect(policy.contracts.get('refund.issue')?.effect).toBe('mutating');
    expect(policy.contracts.get('refund.issue')?.invariants).toMatchObject([
      { rule: 'after-order.get', soft: true, that: { text: '"order.get" in seen' } },
    ]);
    expect(policy.contracts.get('refund.issue')?.rates).toMatchObject([{ max: 30 }]);
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

// proves: gate.draft
describe('a draft of tools that a provider offers', () => {
  const path = { type: 'string', description: 'Where it is' };
  const offer = (tool: string, schema: JsonObject, hints: ToolOffer['hints'] = {}): ToolOffer => ({
    tool: `files.${tool}`,
    provider: 'files',
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', ...schema },
    hints,
  });
  const offers = [
    offer('load', { properties: { path }, required: ['path'] }, { readOnly: true }),
    offer('write', {
      required: ['path', 'content'],
      properties: {
        path,
        content: { type: 'string' },
        mode: { type: 'string', enum: ['new', 'old'] },
        at: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
      },
    }),
    offer('wipe', { properties: { path }, required: ['path'] }, { destructive: true }),
    offer('many', { properties: { paths: { type: 'array', items: path } } }),
    offer('go', { properties: { url: { type: 'string' } }, required: ['url'] }),
  ];

  async function work(): Promise<void> {
    await call('agent:ada', 'files.load', { path: '/srv/notes/a.txt' });
    await call('agent:ada', 'files.write', { path: '/srv/notes/b/c.txt', content: 'hello' });
    await call('agent:ada', 'files.many', { paths: ['/srv/notes/a.txt', '/srv/notes/b'] });
    await call('agent:ada', 'files.go', { url: 'https://shop.example/orders?page=2' });
  }

  async function enforced() {
    await work();
    const { text, tools } = await draft(offers);
    const policy = parsePolicy(text, { path: 'draft.yaml', natives: [] });
    const decide = (tool: string, given: JsonObject): string[] => {
      const one = { name: 'x', actor: 'agent:ada', tool, arguments: given, expect: 'allow' };
      const { cases } = casesSchema.parse({ cases: [one] });
      const placed = cases.map((parsed) => ({ ...parsed, line: 1 }));
      const [result] = runCases({ agents: {}, cases: placed }, policy, () => false);
      return [...(result?.got.rules ?? [])];
    };
    return { text, tools, policy, decide };
  }

  test('covers tools that nobody used, and grants them to nobody', async () => {
    const { text, tools, policy } = await enforced();
    expect(tools).toContainEqual({ tool: 'files.wipe', times: 0 });
    expect(policy.contracts.get('files.wipe')?.effect).toBe('mutating');
    expect(policy.agents.get('ada')?.allows('files.wipe')).toBe(false);
    expect(policy.agents.get('ada')?.allows('files.load')).toBe(true);
    expect(text).toContain('# DRAFT: offered by files and never used; no agent has it');
    expect(text).toContain('# files says readOnlyHint: true; Surety does not check that');
    expect(await gate.replay({ policy })).toMatchObject({ decisions: 4, different: 0 });
  });

  test('bounds paths, addresses and texts by their kind', async () => {
    const { decide } = await enforced();
    const long = 'x'.repeat(50_000);
    for (const [tool, given, rules] of [
      ['files.load', { path: '/srv/notes/b/a-longer-name.txt' }, []],
      ['files.load', { path: '/etc/passwd' }, ['files.load/path-within']],
      ['files.load', { path: '/srv/notes/../../etc/passwd' }, ['files.load/path-within']],
      ['files.load', { path: '/srv/notes/a.txt', follow: true }, ['arguments']],
      ['files.write', { path: '/srv/notes/d.txt', content: long, mode: 'old' }, []],
      ['files.write', { path: '/srv/notes/d.txt', content: 'x', mode: 'odd' }, ['arguments']],
      ['files.write', { path: '/srv/notes/d.txt', content: 'x', at: null }, []],
      ['files.write', { path: '/etc/profile', content: 'x' }, ['files.write/path-within']],
      ['files.many', {}, []],
      ['files.many', { paths: ['/srv/notes/a.txt', '/etc/shadow'] }, ['files.many/paths-within']],
      ['files.go', { url: 'https://shop.example/cart' }, []],
      ['files.go', { url: 'https://shop.example@evil.example/' }, ['files.go/url-host']],
      ['files.go', { url: 'http://shop.example/' }, ['files.go/url-host']],
      ['files.wipe', { path: '/srv/notes/a.txt' }, ['policy.tools']],
    ] as [string, JsonObject, string[]][]) {
      expect({ tool, given, rules: decide(tool, given) }).toEqual({ tool, given, rules });
    }
  });

  test('uses the calls alone where the schema does not accept them', async () => {
    await call('agent:ada', 'files.load', { path: '/srv/notes/a.txt', head: 5 });
    const { text } = await draft(offers);
    const policy = parsePolicy(text, { path: 'draft.yaml', natives: [] });
    expect(await gate.replay({ policy })).toMatchObject({ decisions: 1, different: 0 });
    expect(text).toContain('from 1 calls alone; the schema of files does not fit them');
  });
});

test('commands of coding agents become the lists of the section coding', async () => {
  const shared = { directory: '/p', project: '/p', unresolved: [] };
  const effects = [
    { kind: 'network.connect', on: ['docs.example.com'], flags: [] },
    { kind: 'secret.read', on: ['/p/.env'], flags: [] },
  ];
  await call('agent:coder', 'shell.run', { ...shared, effects, unknown: ['our-tool'] });
  const tool = [{ kind: 'tool.use', on: ['mcp__tracker__list'], flags: [] }];
  await call('agent:coder', 'harness.use', { ...shared, effects: tool, unknown: [] });
  const { text, agents } = await draft();
  expect(agents).toEqual(['coder']);
  const packs = fileURLToPath(new URL('../../../packs/', import.meta.url));
  const path = join(directory, 'policy.yaml');
  const policy = parsePolicy(text, { path, natives: ['task.open'], packs });
  expect(policy.coding).toMatchObject({ programs: ['our-tool'], tools: ['mcp__tracker__list'] });
  expect(policy.coding.hosts).toEqual(expect.arrayContaining(['localhost', 'docs.example.com']));
  expect(policy.coding.rules.secret).toBe('deny');
  expect(policy.mode).toBe('observe');
});
