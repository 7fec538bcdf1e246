import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { Upstream } from './upstream/upstream.ts';

const handler = createMcpHandler(() => new McpServer({ name: 'x', version: '1' }));

/** At `/mcp/`; whoever asks at `/mcp` is sent there, as servers made with Starlette do. */
const server = createServer(async (incoming, response) => {
  let body = '';
  for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
  if (incoming.url === '/mcp') {
    response.writeHead(307, { location: '/mcp/' }).end();
    return;
  }
  const headers = new Headers(incoming.headers as Record<string, string>);
  const init = { method: incoming.method ?? 'GET', headers, ...(body ? { body } : {}) };
  const answer = await handler.fetch(new Request(`http://127.0.0.1${incoming.url}`, init));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
});

test.each([
  ['/mcp/', true],
  ['/mcp', false],
])('a server that was named as %s gets calls the short way: %s', async (path, isShort) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${path}`;
  const events = { onTools: async () => undefined, onNotification: () => undefined };
  const spec = { name: 'x', url, headers: {} };
  const upstream = new Upstream({ spec, events, version: '1', log: () => undefined });
  await upstream.start();
  expect(upstream.isModern).toBe(true);
  const definition = { name: 'add', inputSchema: {} };
  const sent = upstream.callRaw(
    definition,
    { text: '{}', id: 1 },
    { timeoutMs: 5_000, signals: [] },
    {},
  );
  expect(sent !== undefined).toBe(isShort);
  await sent?.catch(() => undefined);
  await upstream.close();
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
});
