import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiLimits } from '../src/http/limits.ts';
import { sharedLimits } from '../src/kernel/index.ts';
import { mcpLimits } from '../src/mcp/limits.ts';
import { readDaemonFile } from '../src/runtime/state-files.ts';
import { agentToken, call, connectGateway, type Revision } from './harness/mcp/gateway-client.ts';
import { effectsOf, openGateway } from './harness/mcp/gateway-workspace.ts';
import type { Workspace } from './harness/workspace.ts';

const policy = {
  version: 1,
  mode: 'observe',
  agents: {
    ada: { tools: ['*'] },
    eve: { tools: [] },
    hasty: { tools: ['*'] },
    quick: { tools: ['*'] },
  },
};

let workspace: Workspace;
beforeAll(async () => {
  const config = { api: { requestsPerMinuteOf: { hasty: 2, quick: 1 } } };
  workspace = await openGateway({ policy, config });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const portOf = (): number => readDaemonFile(workspace.place)?.port ?? 0;

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: { error?: { code: number; message: string; data?: object }; result?: object };
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const message = (method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id: 5,
  method,
  params: { ...params, _meta: modern },
});

function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const whole = {
    host: `127.0.0.1:${portOf()}`,
    authorization: `Bearer ${agentToken(workspace, 'ada')}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    ...headers,
  };
  const kept = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== ''));
  const options = { port: portOf(), host: '127.0.0.1', path: '/mcp', method: 'POST' };
  const sent = request({ ...options, headers: kept }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    response.on('end', () => {
      const { statusCode: status = 0, headers: got } = response;
      resolve({ status, headers: got, body: text.startsWith('{') ? JSON.parse(text) : {} });
    });
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

const list = JSON.stringify(message('tools/list'));
const older = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const listed = { 'mcp-method': 'tools/list' };
const searching = (given: string): string =>
  `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"search","arguments":${given},` +
  `"_meta":${JSON.stringify(modern)}}}`;
const searched = { 'mcp-method': 'tools/call', 'mcp-name': 'search' };

/** How many attempts to call `search` the ledger keeps. */
async function refusals(): Promise<number> {
  const query = { from: 1, limit: apiLimits.apiPageEntriesMax };
  const { entries } = await workspace.client().call('GET /v1/entries', { query });
  return entries.filter(({ kind, body }) => {
    return kind === 'attempt-refused' && (body as { tool?: string }).tool === 'search';
  }).length;
}

describe('the gateway', () => {
  test('answers a well-formed message', async () => {
    expect(await post(list, listed)).toMatchObject({ status: 200, body: { id: 5, result: {} } });
    expect(await post(searching('{"query":"x"}'), searched)).toMatchObject({ status: 200 });
  });

  test.each<[string, string | Buffer, Record<string, string>, number, number | undefined]>([
    ['no JSON', '{"jsonrpc": oh', {}, 400, -32700],
    ['an empty body', '', {}, 400, -32700],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, -32700],
    ['JSON that is no message', '{"hello": 1}', {}, 400, -32600],
    ['a number', '7', {}, 400, -32600],
    ['several messages at once', `[${list},${list}]`, {}, 400, -32600],
    ['several older ones', `[${older},${older}]`, { 'mcp-protocol-version': '' }, 400, -32600],
    ['a wrong version', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', {}, 400, -32600],
    ['another content type', list, { 'content-type': 'text/plain' }, 415, -32600],
    ['no content type', list, { 'content-type': '' }, 415, -32600],
    ['a method that its header contradicts', list, { 'mcp-method': 'tools/call' }, 400, -32020],
    ['no header for its method', list, {}, 400, -32020],
    [
      'a name that its header contradicts',
      searching('{"query":"x"}'),
      { 'mcp-method': 'tools/call', 'mcp-name': 'fails' },
      400,
      -32020,
    ],
    [
      'a revision that nobody knows',
      list,
      { 'mcp-protocol-version': '2031-01-01' },
      400,
      undefined,
    ],
    [
      'a session that nobody has',
      list,
      { 'mcp-session-id': 'x', 'mcp-protocol-version': '' },
      400,
      undefined,
    ],
    [
      'an unknown method',
      JSON.stringify(message('tools/destroy')),
      { 'mcp-method': 'tools/destroy' },
      404,
      -32601,
    ],
  ])('refuses %s', async (_, body, headers, status, code) => {
    const answer = await post(body, headers);
    expect(answer.status).toBe(status);
    if (code !== undefined) expect(answer.body.error?.code).toBe(code);
  });

  test.each<[string, string]>([
    ['a key twice', '{"query":"a","query":"b"}'],
    ['a number that would lose precision', '{"query":"x","n":12345678901234567890}'],
    ['a lone surrogate', '{"query":"\\ud800"}'],
    ['a key that reaches a prototype', '{"query":"x","__proto__":{}}'],
    ['too many levels', `{"query":${'['.repeat(80)}${']'.repeat(80)}}`],
  ])('refuses arguments with %s, names the request, and records the refusal', async (_, given) => {
    const before = await refusals();
    const answer = await post(searching(given), searched);
    expect(answer).toMatchObject({ status: 400, body: { id: 5, error: { code: -32600 } } });
    expect(answer.body.error?.data).toMatchObject({ remedy: expect.any(String) });
    expect(await refusals()).toBe(before + 1);
  });

  test.each([
    [sharedLimits.requestBytesMax, 200],
    [sharedLimits.requestBytesMax + 1, 413],
  ])(
    'accepts a message of sharedLimits.requestBytesMax and no larger: %i bytes get %i',
    async (bytes, status) => {
      const padded = Buffer.alloc(bytes, ' ');
      padded.write(list);
      const answer = await post(padded, listed).catch((error) => ({ status: 413, error }));
      expect(answer.status).toBe(status);
    },
  );

  test.each<[string, Record<string, string>, number]>([
    ['a host name that is not loopback', { host: 'evil.example:80' }, 403],
    ['a web page of another origin', { origin: 'https://evil.example' }, 403],
    ['no token', { authorization: '' }, 401],
    ['a wrong token', { authorization: 'Bearer x' }, 401],
  ])('refuses %s', async (_, headers, status) => {
    expect((await post(list, { ...listed, ...headers })).status).toBe(status);
  });

  // proves: mcp.identity
  test.each<[string, string, string]>([
    ['no token', '', ''],
    ['a wrong one', 'Bearer x', ', error="invalid_token"'],
  ])('tells a client with %s where to learn about tokens', async (_, authorization, reason) => {
    const { headers, body } = await post(list, { authorization });
    const address = `http://127.0.0.1:${portOf()}/.well-known/oauth-protected-resource/mcp`;
    expect(headers['www-authenticate']).toBe(`Bearer resource_metadata="${address}"${reason}`);
    expect(body.error?.data).toMatchObject({
      code: 'UNAUTHORIZED',
      remedy: expect.stringContaining('Bearer'),
    });
    expect(await (await fetch(address)).json()).toEqual({
      resource: `http://127.0.0.1:${portOf()}/mcp`,
      resource_name: 'Surety gateway',
      bearer_methods_supported: ['header'],
    });
  });

  // proves: mcp.rates
  test('applies the rate limit of an agent to the MCP endpoint and the API together', async () => {
    const authorization = `Bearer ${agentToken(workspace, 'hasty')}`;
    const taken = { ...listed, authorization };
    for (let turn = 0; turn < 2; turn++) expect((await post(list, taken)).status).toBe(200);
    const { status, headers, body } = await post(list, taken);
    expect(status).toBe(429);
    expect(String(headers['retry-after'])).toMatch(/^[1-9]\d?$/);
    expect(body.error?.data).toMatchObject({
      code: 'AGENT_TOO_FAST',
      message: 'agent:hasty sent more than 2 requests in one minute.',
      retryable: true,
    });
    const address = `http://127.0.0.1:${portOf()}/v1/contracts`;
    const answer = await fetch(address, { headers: { authorization } });
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([429, true]);
    expect(await answer.json()).toMatchObject({ fault: { code: 'AGENT_TOO_FAST' } });
    expect((await post(list, listed)).status).toBe(200);
  });

  test('does not wait longer than mcpLimits.mcpBodyMsMax for a body', async () => {
    const socket = connect(portOf(), '127.0.0.1');
    const closed = new Promise<string>((resolve) => {
      let seen = '';
      socket.on('data', (chunk: Buffer) => {
        seen += chunk.toString();
      });
      socket.on('close', () => resolve(seen));
    });
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${portOf()}\r\n` +
        `authorization: Bearer ${agentToken(workspace, 'ada')}\r\n` +
        'content-type: application/json\r\ncontent-length: 100\r\n\r\n{"jsonrpc"',
    );
    const trickle = setInterval(() => socket.write(' '), 500);
    const began = performance.now();
    const seen = await closed;
    clearInterval(trickle);
    expect(seen).toContain('HTTP/1.1 408');
    expect(performance.now() - began).toBeGreaterThan(mcpLimits.mcpBodyMsMax - 1_000);
    // Others were served all the while.
    expect((await post(list, listed)).status).toBe(200);
  });

  test('does not let an agent use the session of another agent', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    const session = String((client.transport as { sessionId?: string }).sessionId);
    const old = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    expect((await post(old, headers)).status).toBe(200);
    const eve = `Bearer ${agentToken(workspace, 'eve')}`;
    expect((await post(old, { ...headers, authorization: eve })).status).toBe(404);
  });

  test(`allows an agent mcpLimits.mcpSessionsMax sessions and closes the oldest beyond that`, async () => {
    const first = await connectGateway(workspace, 'eve', 'legacy');
    const session = String((first.transport as { sessionId?: string }).sessionId);
    const authorization = `Bearer ${agentToken(workspace, 'eve')}`;
    const headers = {
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
      authorization,
    };
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const hello = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      },
    });
    const open = () => post(hello, { authorization, 'mcp-protocol-version': '' });
    for (let index = 1; index < mcpLimits.mcpSessionsMax; index++) await open();
    expect((await post(ping, headers)).status).toBe(200);
    for (let index = 0; index < mcpLimits.mcpSessionsMax; index++) await open();
    expect((await post(ping, headers)).status).toBe(404);
  });

  test.each<[string, string, Revision, string, object]>([
    ['a message that is not strict JSON', 'ada', 'legacy', '\ud800', { code: 'JSON_INVALID' }],
    [
      'an agent that is too fast',
      'quick',
      'modern',
      'x',
      { code: 'AGENT_TOO_FAST', retryable: true },
    ],
  ])('says over stdio, too, why it refuses %s', async (_, agent, revision, query, data) => {
    const client = await connectGateway(workspace, agent, revision, { over: 'stdio' });
    const called = call(client, 'search', { query });
    await expect(called).rejects.toMatchObject({ data });
  });

  test('refuses keys and tasks that are not strings', async () => {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    for (const meta of [
      { 'surety/idempotency-key': 7 },
      { 'surety/idempotency-key': '' },
      { 'surety/idempotency-key': 'x'.repeat(201) },
      { 'surety/task': {} },
    ]) {
      expect(await call(client, 'writes', {}, meta)).toMatchObject({
        value: { code: 'TOOL_ARGUMENTS' },
      });
    }
    expect(effectsOf(workspace)).toEqual([]);
  });
});
