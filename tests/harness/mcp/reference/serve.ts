import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { RecentEvents } from '../../../../src/mcp/gateway/clients/recent-events.ts';
import { registerAskingTools, states } from './asking-tools.ts';
import { registerPrompts, registerResources } from './documents.ts';
import { registerExactTools } from './exact-tools.ts';
import { registerOlderTools } from './older-tools.ts';
import { registerPlainTools } from './plain-tools.ts';
import { said } from './samples.ts';

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** One address for both revisions, as the SDK wants them put together. */
export function serveReference(isOlder: boolean): Serve {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const servers = new Set<McpServer>();
  const changes = { tools: 0, prompts: 0 };
  const create = (): McpServer => createReference(changes, tell);
  const modern = createMcpHandler(create, { legacy: 'reject' });
  const tell = (kind: 'tools' | 'prompts'): void => {
    changes[kind] += 1;
    if (kind === 'tools') modern.notify.toolsChanged();
    else modern.notify.promptsChanged();
    for (const server of servers) {
      if (kind === 'tools') server.sendToolListChanged();
      else server.sendPromptListChanged();
    }
  };
  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const server = create();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
      eventStore: new RecentEvents(),
      retryInterval: 200,
    });
    await server.connect(transport);
    servers.add(server);
    return transport;
  };
  const answer = async (request: Request): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refused) return refused;
    if (!isOlder && !(await isLegacyRequest(request))) return modern.fetch(request);
    const id = request.headers.get('mcp-session-id');
    const transport = id === null ? await begin() : sessions.get(id);
    return transport?.handleRequest(request) ?? new Response(null, { status: 404 });
  };
  return (incoming, outgoing) => respond(incoming, outgoing, answer);
}

function createReference(
  changes: { tools: number; prompts: number },
  tell: (kind: 'tools' | 'prompts') => void,
): McpServer {
  const server = new McpServer(
    { name: 'reference', version: '1' },
    {
      capabilities: { logging: {}, completions: {}, resources: { subscribe: true } },
      requestState: { verify: states.verify },
    },
  );
  registerPlainTools(server);
  registerExactTools(server);
  registerAskingTools(server);
  registerOlderTools(server);
  registerResources(server);
  registerPrompts(server);
  const none = { description: 'For the suite.', inputSchema: z.object({}) };
  for (const kind of ['tools', 'prompts'] as const) {
    server.registerTool(`test_trigger_${kind.slice(0, -1)}_change`, none, () => {
      tell(kind);
      return said('changed');
    });
  }
  for (let index = 0; index < changes.tools; index++) {
    server.registerTool(`added_${index}`, none, () => said('added'));
  }
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.server.setRequestHandler(method, () => ({}));
  }
  return server;
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const headers = new Headers(incoming.headers as Record<string, string>);
  const body = incoming.method === 'POST' ? Readable.toWeb(incoming) : null;
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const init = { method: incoming.method ?? 'GET', headers, body, duplex: 'half' };
  const address = `http://127.0.0.1${incoming.url}`;
  const request = new Request(address, { ...init, signal: gone.signal } as RequestInit);
  const response = await answer(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) Readable.fromWeb(response.body as never).pipe(outgoing);
  else outgoing.end();
}
