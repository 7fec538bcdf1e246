import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A server of the newer revision only, over HTTP; prints the port that it listens on. */
function create(): McpServer {
  const server = new McpServer({ name: 'modern', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool(
    'add',
    {
      description: 'Adds.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }, context) => {
      const { progressToken } = context.mcpReq._meta ?? {};
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 2, message: 'half' };
        await context.mcpReq.notify({ method: 'notifications/progress', params });
      }
      const structuredContent = { sum: a + b };
      return { content: [{ type: 'text', text: String(a + b) }], structuredContent };
    },
  );
  server.registerTool('headers', { inputSchema: z.object({}) }, async (_, context) => {
    const headers = Object.fromEntries(context.http?.req?.headers ?? []);
    return { content: [{ type: 'text', text: JSON.stringify(headers) }] };
  });
  server.registerTool('slow', { inputSchema: z.object({}) }, async () => {
    process.stdout.write('begun\n');
    await delay(60_000, undefined, { ref: false });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.registerTool('sure', { inputSchema: z.object({}) }, async (_, context) => {
    const answer = context.mcpReq.inputResponses?.sure as { content?: object } | undefined;
    if (answer) return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    const requestedSchema = {
      type: 'object' as const,
      properties: { sure: { type: 'boolean' as const } },
    };
    const sure = inputRequired.elicit({ message: 'Sure?', requestedSchema });
    return inputRequired({ inputRequests: { sure } });
  });
  server.registerResource('note', 'note://1', {}, async (uri) => ({
    contents: [{ uri: uri.href, text: 'a note' }],
  }));
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }],
  }));
  return server;
}

const handler = createMcpHandler(create, { legacy: 'reject' });
const http = createServer(async (incoming, outgoing) => {
  const headers = new Headers(incoming.headers as Record<string, string>);
  const body = incoming.method === 'POST' ? Readable.toWeb(incoming) : null;
  const address = `http://127.0.0.1${incoming.url}`;
  const init = { method: incoming.method ?? 'GET', headers, body, duplex: 'half' };
  const response = await handler.fetch(new Request(address, init as RequestInit));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) Readable.fromWeb(response.body as never).pipe(outgoing);
  else outgoing.end();
});
http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(http.address() as AddressInfo).port}\n`);
});
