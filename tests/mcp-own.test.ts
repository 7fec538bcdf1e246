import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpLimits } from '../src/mcp/limits.ts';
import { tools as ownTools } from '../src/mcp/tools/index.ts';
import {
  agentToken,
  call,
  gatewayUrl,
  type Revision,
  type ToolAnswer,
} from './harness/mcp/gateway-client.ts';
import { connectOwn, type Way } from './harness/mcp/own-client.ts';
import { Workspace } from './harness/workspace.ts';

const longText = 'process.stdout.write(JSON.stringify({ text: "x".repeat(100_000) }))';

const order = {
  type: 'object',
  required: ['orderId'],
  properties: { orderId: { type: 'string' } },
};

const policy = {
  version: 1,
  tools: {
    'order.get': {
      effect: 'read',
      description: 'Looks an order up.',
      arguments: order,
      run: { command: ['cat'] },
      produces: [{ evidence: 'order-seen', subject: 'arguments.orderId' }],
    },
    'refund.issue': {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['orderId', 'amount'],
        properties: {
          orderId: { type: 'string', maxLength: 40 },
          amount: { type: 'integer', minimum: 1, maximum: 100_000 },
        },
      },
      run: { command: ['cat'] },
      governance: {
        key: 'arguments.orderId',
        cost: { money: 'arguments.amount' },
        evidence: [{ kind: 'order-seen', subject: 'arguments.orderId', freshFor: '10m' }],
        approval: { when: 'arguments.amount > 1000', role: 'approver', within: '1h' },
      },
    },
    'report.dump': {
      effect: 'read',
      arguments: { type: 'object' },
      run: { command: [process.execPath, '-e', longText] },
    },
    hidden: { effect: 'mutating', arguments: { type: 'object' }, run: { command: ['cat'] } },
  },
  agents: {
    ada: {
      tools: ['order.get', 'refund.issue', 'report.dump', 'task.*'],
      budgets: [{ dimension: 'money', limit: 100_000 }],
    },
    eve: { tools: [] },
  },
};

let workspace: Workspace;
beforeAll(async () => {
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  writeFileSync(join(workspace.root, 'policy.yaml'), JSON.stringify(policy));
  await workspace.up();
});
afterAll(() => workspace[Symbol.asyncDispose]());

const ways: readonly [Way, Revision][] = [
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
  ['http', 'legacy'],
  ['http', 'modern'],
];

interface Budget {
  readonly account: string;
  readonly free: number;
}

const moneyLeft = async (client: Client): Promise<number> => {
  const { value } = await call(client, 'get_budget');
  return (value.budgets as Budget[]).find(({ account }) => account === 'agent:ada')?.free ?? 0;
};

// proves: mcp.own
describe.each(ways)('an agent over %s that speaks the %s revision', (way, revision) => {
  const orderId = `o-${way}-${revision}`;
  let client: Client;
  beforeAll(async () => {
    client = await connectOwn(workspace, 'ada', revision, way);
  });
  afterAll(() => client.close());

  test('learns its identity and its tools', async () => {
    const { tools } = await client.listTools();
    for (const { description, inputSchema } of tools) {
      expect(description?.length).toBeGreaterThan(20);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
    const { text, value } = await call(client, 'get_context');
    expect(text).toContain('You are agent:ada. The policy is enforced.');
    expect(value).toMatchObject({
      tools: tools.map(({ name }) => name),
      contracts: ['order.get', 'refund.issue', 'report.dump'],
    });
    expect(value.tools).toContain('propose');
    expect(value.tools).not.toContain('promote_change');
    const { value: listed } = await call(client, 'list_contracts', { matching: 'refund' });
    expect(listed).toMatchObject({
      contracts: [{ tool: 'refund.issue', effect: 'mutating', evidence: ['order-seen'] }],
      next: null,
      asked: { tool: 'list_contracts', arguments: { matching: 'refund' } },
    });
  });

  test('gets from denied to committed by following the answers', async () => {
    const before = await moneyLeft(client);
    const refund = { tool: 'refund.issue', arguments: { orderId, amount: 500 } };
    const look = { tool: 'order.get', arguments: { orderId } };

    const plan = await call(client, 'check_plan', { steps: [refund] });
    expect(plan.value).toMatchObject({ ok: false, steps: [{ verdict: 'deny' }] });
    const better = await call(client, 'check_plan', { steps: [look, refund] });
    expect(better.value).toMatchObject({ ok: true });

    const denied = await call(client, 'propose', refund);
    expect(denied).toMatchObject({
      refused: true,
      value: { code: 'PROPOSAL_DENIED', final: false, repeats: 0, retryable: false },
    });
    const [needed] = denied.value.evidence_needed;
    expect(needed).toMatchObject({ evidence: 'order-seen', tools: ['order.get'] });
    const why = await call(client, 'explain_proposal', { proposal: denied.value.proposal });
    expect(why.value).toMatchObject({ decision: 'deny', said: [{ rule: denied.value.rule }] });
    expect(why.value.asked).toMatchObject({ searched: expect.stringContaining('ledger') });

    const [remedy] = needed?.tools ?? [];
    const seen = await call(client, 'propose', { tool: remedy, arguments: { orderId } });
    expect(seen).toMatchObject({ refused: false, value: { status: 'committed' } });
    const paid = await call(client, 'propose', refund);
    expect(paid).toMatchObject({ refused: false, value: { status: 'committed' } });
    expect(await call(client, 'propose', refund)).toMatchObject({
      value: { proposal: paid.value.proposal },
    });
    expect(await moneyLeft(client)).toBe(before - 500);
  });

  test('learns the outcome of a call that needs approval', async () => {
    const large = { orderId: `${orderId}-large`, amount: 5_000 };
    await call(client, 'propose', { tool: 'order.get', arguments: { orderId: large.orderId } });
    const refund = { tool: 'refund.issue', arguments: large };
    const held = await call(client, 'propose', refund);
    expect(held).toMatchObject({ refused: true, value: { code: 'PROPOSAL_HELD' } });
    const { approval } = held.value;
    expect(held.value.remedy).toContain(`approval_status {"approval": "${approval}"}`);
    const waiting = await call(client, 'approval_status', { approval });
    expect(waiting.value).toMatchObject({ status: 'waiting' });
    await workspace.run('approve', String(approval), '--yes', '--reason', 'looked at it');
    expect((await call(client, 'approval_status', { approval })).text).toContain('approved');
    expect(await call(client, 'propose', refund)).toMatchObject({ refused: false });
  });

  test('works on a task', async () => {
    const { value } = await call(client, 'open_task', { goal: `pay ${orderId}` });
    const { task } = value;
    expect((await call(client, 'list_tasks')).text).toContain(String(task));
    expect((await call(client, 'get_context')).text).toContain(`pay ${orderId}`);
    const ended = await call(client, 'cancel_task', { task, reason: 'no longer wanted' });
    expect(ended.value).toMatchObject({ cancelled: 1 });
    expect((await call(client, 'get_task', { task })).text).toContain('cancelled');
  });

  test('reads a long answer in parts', async () => {
    const dumped = await call(client, 'propose', { tool: 'report.dump' });
    expect(dumped.text.length).toBeLessThan(mcpLimits.mcpAnswerCharsMax + 1_000);
    expect(dumped.value.cut).toContain(`get_outcome {"proposal": "${dumped.value.proposal}"}`);
    const read = { proposal: dumped.value.proposal };
    let whole = '';
    let answer: ToolAnswer = await call(client, 'get_outcome', read);
    for (;;) {
      expect(JSON.stringify(answer.value).length).toBeLessThan(mcpLimits.mcpAnswerCharsMax);
      whole += answer.value.part;
      const { next } = answer.value;
      if (next === null) break;
      answer = await call(client, 'get_outcome', { ...read, cursor: next });
    }
    expect(JSON.parse(whole)).toMatchObject({ value: { text: 'x'.repeat(100_000) } });
    const stale = await call(client, 'get_outcome', { ...read, cursor: 'bm90aGluZw' });
    expect(stale).toMatchObject({ refused: true, value: { code: 'CURSOR_UNKNOWN' } });
  });

  test('reads contracts and proposals as resources', async () => {
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toContain('surety://contracts/refund.issue');
    expect(uris).not.toContain('surety://contracts/hidden');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ name }) => name)).toEqual([
      'contracts',
      'tasks',
      'verdicts',
      'reports',
      'proposals',
    ]);
    const { contents } = await client.readResource({ uri: 'surety://contracts/refund.issue' });
    const [{ text } = { text: '' }] = contents as { text: string }[];
    expect(JSON.parse(text)).toMatchObject({
      tool: 'refund.issue',
      asked: { tool: 'get_contract' },
    });
    for (const uri of ['surety://contracts/hidden', 'surety://verdicts/verdict_none']) {
      await expect(client.readResource({ uri })).rejects.toThrow(/NOT_FOUND/);
    }
  });

  test('receives instructions for its work', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'fix_with_evidence',
      'guarded_action',
      'investigate_alert',
    ]);
    const names = new Set(Object.keys(ownTools));
    for (const { name, arguments: [argument] = [] } of prompts) {
      const given = { [argument?.name ?? '']: 'something better' };
      const { messages } = await client.getPrompt({ name, arguments: given });
      const content = messages[0]?.content;
      const text = content?.type === 'text' ? content.text : '';
      expect(text).toContain('something better');
      const called = text.match(/\b[a-z]+_[a-z]+\b/g) ?? [];
      expect(called.filter((word) => !names.has(word))).toEqual([]);
    }
  });

  test('learns from every tool what is wrong with its arguments', async () => {
    const { tools } = await client.listTools();
    for (const { name } of tools) {
      const { refused, value, text } = await call(client, name, { nonsense: 1, cursor: 7 });
      expect([name, refused, value.code]).toEqual([name, true, 'TOOL_ARGUMENTS']);
      expect(text).toMatch(/nonsense.*\nTry: /);
    }
  });

  test('gets with every answer the question, the time and what was searched', async () => {
    const { tools } = await client.listTools();
    const looking = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    expect(looking.length).toBeGreaterThan(10);
    for (const { name, inputSchema } of looking) {
      if ((inputSchema.required ?? []).length > 0) continue;
      const { refused, value, text } = await call(client, name);
      // Nothing runs here that could report anything; that is said, and how to change it.
      if (name === 'get_service_graph') {
        const remedy = expect.stringContaining('surety');
        expect(value).toMatchObject({ code: 'TELEMETRY_OFF', remedy });
        continue;
      }
      expect([name, refused]).toEqual([name, false]);
      expect(value.asked).toMatchObject({ tool: name, searched: expect.stringMatching(/\w{4}/) });
      expect(text).toMatch(new RegExp(`Asked: ${name} .*; searched: \\w`));
    }
  });
});

describe('an agent without any tool', () => {
  test('sees nothing of others, and can propose nothing', async () => {
    const eve = await connectOwn(workspace, 'eve', 'modern', 'http');
    const ada = await connectOwn(workspace, 'ada', 'modern', 'http');
    const { value } = await call(ada, 'propose', {
      tool: 'order.get',
      arguments: { orderId: 'x' },
    });
    const { proposal } = value;
    for (const tool of ['explain_proposal', 'get_outcome']) {
      const answer = await call(eve, tool, { proposal });
      expect(answer).toMatchObject({ refused: true, value: { code: 'NOT_FOUND' } });
    }
    expect(await call(eve, 'list_contracts')).toMatchObject({ value: { contracts: [], total: 0 } });
    const denied = await call(eve, 'propose', { tool: 'order.get', arguments: { orderId: 'x' } });
    expect(denied).toMatchObject({ refused: true, value: { rule: 'policy.tools' } });
    await Promise.all([eve.close(), ada.close()]);
  });
});

describe('/mcp/surety', () => {
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gatewayUrl(workspace)}/surety`, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${agentToken(workspace, 'ada')}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });

  test.each<[string, string, Record<string, string>, number]>([
    ['takes what is well-formed', list, {}, 200],
    ['refuses the page of somebody else', list, { origin: 'https://evil.example' }, 403],
    ['refuses a wrong token', list, { authorization: 'Bearer x' }, 401],
    ['refuses another content type', list, { 'content-type': 'text/plain' }, 415],
    ['refuses half a message', '{"jsonrpc":', {}, 400],
    ['refuses a key twice', list.replace('{', '{"id":2,'), {}, 400],
  ])('%s', async (_, body, headers, status) => {
    const answer = await post(body, headers);
    expect(answer.status).toBe(status);
    await answer.body?.cancel();
  });

  test('tells a client without a token where to learn about tokens', async () => {
    const { headers } = await post(list, { authorization: '' });
    const { origin } = new URL(gatewayUrl(workspace));
    const address = `${origin}/.well-known/oauth-protected-resource/mcp/surety`;
    expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${address}"`);
    expect(await (await fetch(address)).json()).toMatchObject({
      resource: `${origin}/mcp/surety`,
      bearer_methods_supported: ['header'],
    });
  });
});
