import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentToken, call, connectGateway, gatewayUrl } from './harness/mcp/gateway-client.ts';
import { effectsOf, openGateway } from './harness/mcp/gateway-workspace.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

const text = { type: 'string', maxLength: 40 };
const none = { type: 'object', properties: {} };
const mutating = (more: object = {}) => ({ effect: 'mutating', arguments: none, ...more });

const policy = {
  version: 1,
  tools: {
    'order.get': {
      effect: 'read',
      arguments: { type: 'object', required: ['id'], properties: { id: text } },
      produces: [{ evidence: 'order-seen', subject: 'arguments.id' }],
    },
    'refund.issue': {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['orderId', 'amount'],
        properties: { orderId: text, amount: { type: 'integer', minimum: 1, maximum: 1_000_000 } },
      },
      reads: { order: { tool: 'order.get', with: { id: 'arguments.orderId' } } },
      invariants: [
        { rule: 'within', that: 'arguments.amount <= reads.order.structuredContent.total' },
      ],
      results: [{ rule: 'same', that: 'result.structuredContent.amount == arguments.amount' }],
      governance: {
        key: 'arguments.orderId',
        evidence: [{ kind: 'order-seen', subject: 'arguments.orderId', freshFor: '10m' }],
        approval: { when: 'arguments.amount > 10000', role: 'approver', within: '1h' },
      },
    },
    slow: {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['ms'],
        properties: { ms: { type: 'integer', minimum: 0, maximum: 60000 } },
      },
      governance: { timeout: '60s' },
    },
    search: {
      effect: 'read',
      arguments: { type: 'object', required: ['query'], properties: { query: text } },
    },
    change: {
      effect: 'mutating',
      arguments: { type: 'object', required: ['to'], properties: { to: text } },
    },
    promises: {
      effect: 'mutating',
      arguments: { type: 'object', required: ['keep'], properties: { keep: { type: 'boolean' } } },
    },
    writes: { effect: 'read', arguments: none },
    fails: mutating(),
    refuses: mutating(),
    twice: mutating(),
    garbage: mutating(),
    empty: mutating(),
    huge: mutating(),
    deep: mutating(),
    'big-number': mutating(),
    asks: mutating({ governance: { timeout: '20s' } }),
    never: mutating({ governance: { timeout: '400ms' } }),
    'wrong-id': mutating({ governance: { timeout: '400ms' } }),
    dies: mutating({
      governance: { key: '"once"', timeout: '20s' },
      recovery: {
        steps: [
          {
            reconcile: {
              read: 'search',
              with: { query: '"once"' },
              committed: 'read.content[0].text == "found once"',
            },
          },
        ],
      },
    }),
  },
  agents: {
    ada: { tools: ['*'] },
    grace: { tools: ['order.*'] },
  },
};

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openGateway({ policy });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const count = (line: string): number => effectsOf(workspace).filter((one) => one === line).length;

describe('a call through the gateway', () => {
  test('gets from denied to committed by following only the remedies', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    const wish = { orderId: 'o1', amount: 500 };
    const asked: string[] = [];
    for (let step = 0; step < 5; step++) {
      const answer = await call(client, 'refund.issue', wish);
      if (!answer.refused) break;
      expect(answer.text).toContain(answer.value.remedy);
      const [need] = answer.value.evidence_needed;
      const tool = need?.tools[0] ?? '';
      asked.push(tool);
      // The only thing that this client knows besides the remedy: the tool's own schema.
      const { tools } = await client.listTools();
      const schema = tools.find(({ name }) => name === tool)?.inputSchema as { required: string[] };
      await call(client, tool, { [schema.required[0] ?? '']: wish.orderId });
    }
    expect(asked).toEqual(['order.get']);
    expect(effectsOf(workspace)).toContain('refund o1 500');
  });

  test('is executed once, however often it is repeated', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    await call(client, 'order.get', { id: 'o2' });
    const wish = { orderId: 'o2', amount: 700 };
    const answers = [
      await call(client, 'refund.issue', wish),
      await call(client, 'refund.issue', wish),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ refused: false, value: wish });
    expect(count('refund o2 700')).toBe(1);
    expect(await call(client, 'refund.issue', { ...wish, amount: 701 })).toMatchObject({
      value: { code: 'PROPOSAL_KEY_REUSED' },
    });
  });

  test('reaches no tool of a server that has the name of a tool of Surety', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('suite.run');
    await expect(call(client, 'suite.run')).rejects.toThrow('No server behind the gateway has');
    expect(count('suite.run')).toBe(0);
  });

  test('is denied as final when it is repeated a second time', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    const wish = { orderId: 'o-none', amount: 500 };
    const answers = [];
    for (let index = 0; index < 3; index++) answers.push(await call(client, 'refund.issue', wish));
    expect(answers.map(({ value }) => [value.repeats, value.final])).toEqual([
      [0, false],
      [1, false],
      [2, true],
    ]);
    expect(answers[2]?.text).not.toBe(answers[1]?.text);
  });

  test('is checked by the rules and the argument schema of its contract', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    await call(client, 'order.get', { id: 'o3' });
    expect(await call(client, 'refund.issue', { orderId: 'o3', amount: 30_001 })).toMatchObject({
      value: { code: 'PROPOSAL_DENIED', rule: 'refund.issue/within' },
    });
    expect(
      await call(client, 'refund.issue', { orderId: 'o3', amount: 5, note: 'x' }),
    ).toMatchObject({ value: { code: 'PROPOSAL_DENIED', rule: 'arguments' } });
  });

  test('that needs approval says so, can be polled, and passes after the approval', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    await call(client, 'order.get', { id: 'o4' });
    const wish = { orderId: 'o4', amount: 20_000 };
    const held = await call(client, 'refund.issue', wish);
    expect(held).toMatchObject({
      refused: true,
      value: { code: 'PROPOSAL_HELD', retryable: true },
    });
    const approval = String(held.value.approval);
    expect(held.text).toContain(`surety approve ${approval}`);
    const poll = () => call(client, 'surety.approval_status', { approval });
    expect(await poll()).toMatchObject({ refused: false, value: { status: 'waiting' } });
    await workspace.run('approve', approval, '--yes');
    expect(await poll()).toMatchObject({ value: { status: 'approved' } });
    expect(await call(client, 'refund.issue', wish)).toMatchObject({ refused: false });
    expect(count('refund o4 20000')).toBe(1);
  });

  test('to a tool that the agent may not use is denied, and the tool is not listed', async () => {
    const client = await connectGateway(workspace, 'grace', 'modern');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['order.get']);
    expect(await call(client, 'refund.issue', { orderId: 'o1', amount: 1 })).toMatchObject({
      value: { code: 'PROPOSAL_DENIED', rule: 'policy.tools' },
    });
    await expect(call(client, 'no.such.tool')).rejects.toMatchObject({
      code: -32602,
      data: { code: 'TOOL_UNKNOWN', remedy: expect.stringContaining('tools/list') },
    });
  });

  test('with an idempotency key waits for the same call in flight', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    const meta = { 'surety/idempotency-key': 'in-flight' };
    const before = count('slow ends');
    const both = await Promise.all([
      call(client, 'slow', { ms: 700 }, meta),
      call(client, 'slow', { ms: 700 }, meta),
    ]);
    expect(both.map(({ text: said }) => said)).toEqual(['done', 'done']);
    expect(count('slow ends')).toBe(before + 1);
  });

  test('whose client hangs up is recorded, and its outcome is returned when it is repeated', async () => {
    const before = count('slow ends');
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'slow',
        arguments: { ms: 600 },
        _meta: {
          'surety/idempotency-key': 'hang-up',
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    const gone = new AbortController();
    const cut = fetch(gatewayUrl(workspace), {
      method: 'POST',
      signal: gone.signal,
      headers: {
        authorization: `Bearer ${agentToken(workspace, 'ada')}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'slow',
      },
      body: JSON.stringify(body),
    });
    cut.catch(() => undefined);
    await until('it has begun', () => count('slow begins') > before);
    gone.abort();
    const client = await connectGateway(workspace, 'ada', 'legacy');
    const meta = { 'surety/idempotency-key': 'hang-up' };
    expect(await call(client, 'slow', { ms: 600 }, meta)).toMatchObject({ text: 'done' });
    expect(count('slow ends')).toBe(before + 1);
  });

  test('that exceeds its time limit is in doubt and is not repeated', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    for (const tool of ['never', 'wrong-id']) {
      const meta = { 'surety/idempotency-key': tool };
      for (let index = 0; index < 2; index++) {
        expect(await call(client, tool, {}, meta)).toMatchObject({
          value: { code: 'PROPOSAL_UNKNOWN', retryable: false },
        });
      }
      expect(count(tool)).toBe(1);
    }
  });

  test.each<[string, string]>([
    ['twice', 'first'],
    ['garbage', 'after the garbage'],
  ])('gets exactly one answer from a faulty server (%s)', async (tool, said) => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    expect(await call(client, tool)).toMatchObject({ refused: false, text: said });
    expect(await call(client, 'search', { query: 'x' })).toMatchObject({ text: 'found x' });
  });

  test('is in doubt if its answer is invalid or breaks its own schema', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    const doubt = { refused: true, value: { code: 'PROPOSAL_UNKNOWN' } };
    expect(await call(client, 'empty')).toMatchObject(doubt);
    expect(await call(client, 'promises', { keep: false })).toMatchObject(doubt);
    expect(await call(client, 'promises', { keep: true })).toMatchObject({ value: { kept: true } });
  });

  test('that the tool itself refuses returns its error unchanged and is recorded as failed', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    const meta = { 'surety/idempotency-key': 'fails' };
    expect(await client.callTool({ name: 'fails', _meta: meta })).toEqual({
      content: [{ type: 'text', text: 'no such thing' }],
      isError: true,
    });
    expect(await call(client, 'fails', {}, meta)).toMatchObject({
      value: { code: 'TOOL_REPORTED_ERROR', message: expect.stringContaining('no such thing') },
    });
    await expect(client.callTool({ name: 'refuses' })).rejects.toMatchObject({
      code: -32050,
      message: expect.stringContaining('not today'),
      data: { why: 1 },
    });
  });

  test('whose answer is nested 5,000 deep is in doubt, and says why', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    const { text, value } = await call(client, 'deep');
    expect(value.code).toBe('PROPOSAL_UNKNOWN');
    expect(text).toContain('its answer is nested deeper than 512 levels');
  });

  test('with a number that no double holds is recorded with its digits', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    const meta = { 'surety/idempotency-key': 'big-number' };
    await call(client, 'big-number', {}, meta);
    const again = await call(client, 'big-number', {}, meta);
    expect(again.value).toEqual({ id: '12345678901234567890' });
  });

  test('receives a large result whole', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    expect((await call(client, 'huge')).text).toHaveLength(3 * 1024 * 1024);
  });

  test('of a tool whose annotations contradict its contract is refused', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    expect(await call(client, 'writes')).toMatchObject({ value: { code: 'TOOL_CONTRADICTS' } });
    expect(count('writes')).toBe(0);
  });

  test('whose server dies is settled by its recovery once the server is back', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    const changes: number[] = [];
    client.setNotificationHandler('notifications/tools/list_changed', async () => {
      changes.push((await client.listTools()).tools.length);
    });
    const died = call(client, 'dies');
    await until('it is away', async () => {
      const { value } = await call(client, 'search', { query: 'again' });
      return value.code === 'UPSTREAM_AWAY' && value.retryable;
    });
    for (const answer of [await died, await call(client, 'dies')]) {
      expect(answer).toMatchObject({ refused: false, text: 'found once' });
    }
    expect(count('dies')).toBe(1);
    // A slow client misses the first change, or lists its tools only when they are back.
    await until('the tools are back', () => (changes.at(-1) ?? 0) > 10);
  });

  test('cannot be made with a grant, because its caller would report the outcome', async () => {
    const { asAgent } = await import('./harness/mcp/agent-token.ts');
    const body = { tool: 'search', arguments: { query: 'x' }, audience: 'me' };
    await expect(asAgent(workspace, 'ada').call('POST /v1/grants', { body })).rejects.toMatchObject(
      { code: 'TOOL_RUN_HERE' },
    );
  });

  test('leaves an intact ledger that rebuilds and replays', async () => {
    await workspace.run('ledger', 'verify');
    await workspace.run('ledger', 'rebuild');
    await workspace.run('ledger', 'replay');
  });
});
