import {
  type ClientCapabilities,
  CLIENT_CAPABILITIES_META_KEY as capabilitiesKey,
  CLIENT_INFO_META_KEY as infoKey,
  LOG_LEVEL_META_KEY as levelKey,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Identity, isFault, type JsonObject } from '../../../kernel/index.ts';
import { anything } from '../anything.ts';
import { type CallDeps, callTool } from '../calls/call-tool.ts';
import { complete, getPrompt, readResource, subscribe } from '../forward.ts';
import { type ListMethod, listPage, listTools } from '../lists.ts';
import { protocolErrorOf } from '../protocol-error.ts';
import type { ClientRequest, Memory } from './asked.ts';
import { canAnswer } from './can-answer.ts';
import { type Conversations, type InputQuestion, ownerOf } from './conversations.ts';
import type { ProtocolMessage } from './exchange.ts';
import { endOf } from './hang-up.ts';
import { isWanted } from './log-levels.ts';
import { sendLevel } from './own-sessions.ts';

export interface ClientServerDeps extends CallDeps {
  readonly conversations: Conversations;
  readonly version: string;
}

type Handler = (asked: ClientRequest, context: ServerContext) => Promise<JsonObject>;

const lists: readonly ListMethod[] = [
  { method: 'resources/list', items: 'resources', capability: 'resources' },
  { method: 'resources/templates/list', items: 'resourceTemplates', capability: 'resources' },
  { method: 'prompts/list', items: 'prompts', capability: 'prompts' },
];

/** Some servers do more than they declare; what they do not do, they refuse themselves. */
class ForwardingServer extends Server {
  protected override assertRequestHandlerCapability(): void {
    return;
  }
}

/** One client's view of all upstreams. The SDK speaks the revision; nothing here does. */
export function createClientServer(
  caller: Identity,
  memory: Memory,
  deps: ClientServerDeps,
): Server {
  const capabilities = mergeCapabilities(deps, memory.own !== undefined);
  const instructions = mergeInstructions(deps);
  const server = new ForwardingServer(
    { name: 'surety', version: deps.version },
    { capabilities, ...(instructions ? { instructions } : {}) },
  );
  const handle = (method: string, handler: Handler): void => {
    server.setRequestHandler(method, { params: anything }, async (params, context) => {
      const asked = readRequest(server, caller, params as JsonObject, context, memory);
      try {
        return (await handler(asked, context)) as Result;
      } catch (error) {
        throw isFault(error) ? protocolErrorOf(error) : error;
      }
    });
  };
  const conversing = (
    method: string,
    work: (asked: ClientRequest, ask: InputQuestion) => Promise<JsonObject>,
  ) => handle(method, (asked, context) => converse(method, asked, context, deps, work));

  handle('tools/list', async () => listTools(caller, deps));
  conversing('tools/call', (asked, ask) =>
    callTool({ ...asked, own: memory.own, exchange: asked.exchange(ask) }, deps),
  );
  for (const list of lists) {
    if (!capabilities[list.capability]) continue;
    handle(list.method, (asked) => listPage(list, asked, deps));
  }
  if (capabilities.prompts) {
    conversing('prompts/get', (asked, ask) => getPrompt(asked, asked.exchange(ask), deps));
  }
  if (capabilities.resources) {
    conversing('resources/read', (asked, ask) => readResource(asked, asked.exchange(ask), deps));
    handle('resources/subscribe', (asked) => subscribe(asked, true, deps));
    handle('resources/unsubscribe', (asked) => subscribe(asked, false, deps));
  }
  handle('completion/complete', (asked) => complete(asked, deps));
  if (capabilities.logging) handle('logging/setLevel', (asked) => setLevel(asked, deps));
  return server;
}

function converse(
  method: string,
  asked: ClientRequest,
  { mcpReq }: ServerContext,
  { conversations }: ClientServerDeps,
  work: (asked: ClientRequest, ask: InputQuestion) => Promise<JsonObject>,
): Promise<JsonObject> {
  const owner = (): string => ownerOf(asked.caller, method, asked.params);
  const round = { owner, gone: asked.gone };
  const state: unknown = mcpReq.requestState();
  if (typeof state === 'string') {
    return conversations.resume(state, round, (mcpReq.inputResponses ?? {}) as JsonObject);
  }
  return conversations.begin(round, (ask, gone) => work({ ...asked, gone }, ask));
}

function readRequest(
  server: Server,
  caller: Identity,
  params: JsonObject,
  { mcpReq, http }: ServerContext,
  memory: Memory,
): ClientRequest {
  const envelope = (mcpReq.envelope ?? {}) as JsonObject;
  const capabilities = (envelope[capabilitiesKey] ?? server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined;
  const level = (envelope[levelKey] as string | undefined) ?? memory.level;
  const { progressToken, ...meta } = (params._meta ?? {}) as JsonObject;
  const notify = ({ method, params: told }: ProtocolMessage): void => {
    const notification = { method, params: { ...told } } as Parameters<typeof mcpReq.notify>[0];
    mcpReq.notify(notification).catch(() => undefined);
  };
  return {
    caller,
    params,
    memory,
    gone: endOf(mcpReq.signal),
    onProgress:
      progressToken === undefined
        ? undefined
        : (progress) =>
            notify({ method: 'notifications/progress', params: { ...progress, progressToken } }),
    meta: (isModern) => ({
      ...meta,
      ...(isModern ? described(capabilities, server.getClientVersion(), level) : {}),
    }),
    inputResponses: mcpReq.inputResponses as JsonObject | undefined,
    exchange: (ask) => ({
      caller,
      can: (request) => canAnswer(capabilities, request),
      ask: async (request, name) => {
        if (canAnswer(capabilities, request)) return ask(request, name);
        throw new Error(`the client does not take ${request.method}`);
      },
      tell: (notification) => {
        if (isWanted(notification.params ?? {}, level)) notify(notification);
      },
      pause: () => http?.closeSSE?.(),
    }),
  };
}

function described(
  capabilities: ClientCapabilities | undefined,
  info: object | undefined,
  level: string | undefined,
): JsonObject {
  return {
    [capabilitiesKey]: (capabilities ?? {}) as JsonObject,
    ...(info ? { [infoKey]: info as JsonObject } : {}),
    ...(level === undefined ? {} : { [levelKey]: level }),
  };
}

/** The level is the reader's; servers that have one for all get the last that was wished for. */
async function setLevel(
  { params, memory }: ClientRequest,
  { upstreams }: ClientServerDeps,
): Promise<JsonObject> {
  memory.level = String(params.level);
  const { level = null } = params;
  const shared = upstreams.all.filter(({ isUp, spec }) => isUp && !('url' in spec));
  const told = shared.map(async (upstream) =>
    sendLevel(await upstream.sessionFor(memory.own), { level }),
  );
  // A server that does not answer has its own way with messages; the client has said its wish.
  await Promise.allSettled([memory.own?.setLevel({ level }), ...told]);
  return {};
}

/** What any of them can; lists may change at any time, as servers come and go. */
function mergeCapabilities({ upstreams }: ClientServerDeps, isOlder: boolean): ServerCapabilities {
  const all = upstreams.all.map((one) => (isOlder ? one.olderCapabilities : one.capabilities));
  const any = (has: (one: ServerCapabilities) => unknown): boolean => all.some((one) => has(one));
  const subscribe = any(({ resources }) => resources?.subscribe);
  return {
    tools: { listChanged: true },
    ...(any(({ resources }) => resources)
      ? { resources: { listChanged: true, ...(subscribe ? { subscribe } : {}) } }
      : {}),
    ...(any(({ prompts }) => prompts) ? { prompts: { listChanged: true } } : {}),
    ...(any(({ completions }) => completions) ? { completions: {} } : {}),
    ...(any(({ logging }) => logging) ? { logging: {} } : {}),
  };
}

function mergeInstructions({ upstreams }: ClientServerDeps): string {
  const said = upstreams.all.flatMap(({ name, instructions }) =>
    instructions ? [upstreams.isOnly ? instructions : `${name}: ${instructions}`] : [],
  );
  return said.join('\n\n');
}
