import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import type { Log } from '../src/kernel/index.ts';
import { createGateway } from '../src/mcp/gateway/gateway.ts';
import type { GatewayPorts, UpstreamSpec } from '../src/mcp/gateway/ports.ts';
import { StdioTransport } from '../src/mcp/gateway/upstream/stdio-transport.ts';
import { Traffic } from '../src/mcp/gateway/upstream/traffic.ts';
import { Upstream } from '../src/mcp/gateway/upstream/upstream.ts';
import { mcpLimits } from '../src/mcp/limits.ts';
import { runs } from './harness/deep.ts';
import { until } from './harness/until.ts';
import { whenTestEnds } from './harness/when-test-ends.ts';

const environment = { PATH: process.env.PATH ?? '' };
const hostile = fileURLToPath(new URL('./harness/mcp/hostile-server.ts', import.meta.url));

describe('limits.upstreamUnreadBytesMax: a server that reads nothing', () => {
  test('is cut off once it has left too much of its input unread', async () => {
    const reasons: string[] = [];
    const traffic = new Traffic({
      onCutOff: (reason) => void reasons.push(reason),
      onErrorLine: () => undefined,
    });
    const program = { command: ['sleep', '30'], directory: '.', environment };
    const transport = new StdioTransport(program, traffic);
    await transport.start();
    whenTestEnds(async () => transport.kill());
    const data = 'x'.repeat(mcpLimits.upstreamUnreadBytesMax);
    const message = { jsonrpc: '2.0' as const, method: 'notifications/x', params: { data } };
    await transport.send({ ...message, params: { data: data.slice(200) } });
    await transport.send(message);
    expect(reasons).toEqual([]);
    await expect(transport.send(message)).rejects.toThrow();
    expect(reasons).toEqual(['it left more than 33554432 bytes of its input unread']);
  });
});

const quiet = {
  events: { onTools: async () => undefined, onNotification: () => undefined },
  log: () => undefined,
  version: '1',
};

function hostileSpec(kind: string): UpstreamSpec {
  const command = [process.execPath, hostile, kind];
  return { name: 'x', command, directory: '.', environment: {} };
}

/** One flood for each limit comes first; the deep tests try the others as well. */
const floods = [
  ['notifications', 'messages in a minute'],
  ['requests', 'requests in a minute'],
  ['large-messages', 'bytes in a minute without being asked'],
  ['endless-line', 'larger than 8388608 bytes'],
  ['endless-pages', 'its list of tools is larger than 16777216 bytes'],
  ['garbage', 'messages in a minute'],
  ['answers', 'bytes in a minute without being asked'],
  ['deep-messages', 'in a minute'],
  ['error-output', 'bytes in a minute without being asked'],
  ['tool-changes', 'messages in a minute'],
] as const;

// proves: mcp.budget
describe('a server', () => {
  test.each(floods.slice(0, runs(5, floods.length)))(
    'that floods with %s is cut off, and its tools are gone',
    async (kind, reason) => {
      const offered: number[] = [];
      const onTools = async ({ tools }: Upstream) => void offered.push(tools.size);
      const events = { ...quiet.events, onTools };
      const upstream = new Upstream({ ...quiet, spec: hostileSpec(kind), events });
      whenTestEnds(() => upstream.close());
      void upstream.start();
      await until('it is cut off', () => upstream.cutOffReason !== undefined);
      expect(upstream.cutOffReason).toContain(reason);
      await until('its tools are gone', () => !upstream.isUp && upstream.tools.size === 0);
      expect(offered.at(-1) ?? 0).toBe(0);
    },
  );

  test('that does not start is away, with the last line that it wrote', async () => {
    const command = ['sh', '-c', 'echo no module named sqlite >&2; exit 1'];
    const spec = { name: 'x', command, directory: '.', environment };
    const upstream = new Upstream({ ...quiet, spec });
    whenTestEnds(() => upstream.close());
    await upstream.start();
    expect(upstream.awayReason).toMatch(/; it wrote: no module named sqlite$/);
  });

  test('that floods before it answers the handshake is not connected', async () => {
    const upstream = new Upstream({ ...quiet, spec: hostileSpec('handshake') });
    whenTestEnds(() => upstream.close());
    await upstream.start();
    expect(upstream.cutOffReason).toContain('messages in a minute');
    expect(upstream.isUp).toBe(false);
  });

  test('of two processes ends both, also one that is still starting', async () => {
    const lines: string[] = [];
    const log: Log = (_, event, facts) => {
      if (event === 'upstream-said') lines.push(String(facts?.line));
    };
    const upstream = new Upstream({ ...quiet, spec: hostileSpec('modern'), log });
    whenTestEnds(() => upstream.close());
    await upstream.start();
    expect(upstream.isModern).toBe(true);
    const older = upstream.sessionFor({ at: async () => undefined });
    const pid = Number(await until('the second process starts', () => lines[0]));
    await upstream.close();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await older;
  });
});

test('a request that runs out of time does not go on to read its answer', async () => {
  const closed = Promise.withResolvers<void>();
  const spec = await listenWithSessions([], (outgoing) => {
    outgoing.on('close', closed.resolve).write('{');
  });
  const upstream = new Upstream({ ...quiet, spec });
  whenTestEnds(() => upstream.close());
  await upstream.start();
  const session = await upstream.sessionFor();
  const sent = session.request({ method: 'tools/call' }, { timeoutMs: 50 });
  await expect(sent).rejects.toThrow('timed out');
  await closed.promise;
  expect(upstream.isUp).toBe(true);
});

/** In this process: a server with one tool, or one that accepts connections and never answers. */
async function listen(kind: 'good' | 'silent'): Promise<UpstreamSpec> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'good', version: '1' });
    server.registerTool('work', {}, () => ({ content: [{ type: 'text', text: 'done' }] }));
    return server;
  });
  const server = createServer(async (incoming, outgoing) => {
    if (kind === 'silent') return;
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const headers = new Headers(incoming.headers as Record<string, string>);
    const init = { method: incoming.method ?? 'GET', headers, ...(body ? { body } : {}) };
    const answer = await handler.fetch(new Request('http://127.0.0.1/mcp', init));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) outgoing.write(chunk);
    outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { name: kind, url: `http://127.0.0.1:${port}/mcp`, headers: {} };
}

/** In this process: a server of an older revision, which notes the sessions that are ended. */
async function listenWithSessions(
  ended: string[],
  onCall?: (outgoing: ServerResponse) => void,
): Promise<UpstreamSpec> {
  let sessions = 0;
  const server = createServer(async (incoming, outgoing) => {
    const session = String(incoming.headers['mcp-session-id']);
    if (incoming.method === 'DELETE') ended.push(session);
    if (incoming.method !== 'POST') return outgoing.writeHead(405).end();
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (id === undefined) return outgoing.writeHead(202).end();
    const serverInfo = { name: 'x', version: '1' };
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
    const error = { code: -32601, message: 'unknown' };
    const answer = method === 'initialize' ? { result } : { error };
    if (method === 'initialize') outgoing.setHeader('mcp-session-id', `s${++sessions}`);
    outgoing.setHeader('content-type', 'application/json');
    if (method === 'tools/call' && onCall) return onCall(outgoing);
    return outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { name: 'sessions', url: `http://127.0.0.1:${port}/mcp`, headers: {} };
}

test("a client's own session ends at its server with the client", async () => {
  const ended: string[] = [];
  const spec = await listenWithSessions(ended);
  const upstream = new Upstream({ ...quiet, spec });
  await upstream.start();
  const client = { info: { name: 'x', version: '1' }, capabilities: {}, revision: '2025-11-25' };
  const own = await upstream.openOwn(client, () => undefined);
  await own?.close();
  expect(ended).toEqual(['s2']);
  await upstream.close();
  expect(ended).toEqual(['s2', 's1']);
});

const caller = { actor: 'agent:ada', roles: ['agent'] } as const;
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
};

function calling(name: string): Request {
  const params = { name, arguments: {}, _meta: envelope };
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
}

describe('a call', () => {
  test('does not wait for another server than its own', async () => {
    const ports: Partial<GatewayPorts> = {
      log: () => undefined,
      terms: () => ({ mode: 'enforce', effect: 'read', timeoutMs: 5_000 }),
      isTaken: () => false,
      pin: async (_, tools) => new Map([...tools.keys()].map((name) => [name, 'accepted'])),
      act: async (_, run) => {
        const { signal } = new AbortController();
        const value = await run({ proposal: 'prop_1', signal } as never);
        return { status: 'committed', proposal: 'prop_1', value } as never;
      },
    };
    // Last of all: it waits for servers that are being connected.
    whenTestEnds(() => gateway?.close());
    const specs = [await listen('silent'), await listen('good')];
    const gateway = createGateway({ specs, version: '1', ports: ports as GatewayPorts });
    let isReady = false;
    void gateway.ready.then(() => {
      isReady = true;
    });
    const response = await gateway.handle(calling('good.work'), caller);
    expect(await response.text()).toContain('"text":"done"');
    expect(isReady).toBe(false);
  });
});
