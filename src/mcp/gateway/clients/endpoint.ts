import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import {
  fault,
  type Identity,
  isJsonObject,
  type Json,
  type JsonObject,
  toFault,
} from '../../../kernel/index.ts';
import { protocolRefusal } from '../../protocol-refusal.ts';
import { readBody, Unreadable } from '../../read-body.ts';
import { answerPlainCall, plainCall } from '../calls/fast-call.ts';
import { hearResources } from '../forward.ts';
import { contradictingHeader } from '../http/param-headers.ts';
import { bridgeHeader, isOwnName } from '../names.ts';
import { type ClientServerDeps, createClientServer } from './client-server.ts';
import type { ClientSessions } from './sessions.ts';

export interface EndpointDeps extends ClientServerDeps {
  readonly sessions: ClientSessions;
  /** When every server was tried once, or long enough: then it is known what there is. */
  readonly gathered: Promise<unknown>;
  readonly bodyMsMax: number;
}

export interface Endpoint {
  readonly modern: McpHttpHandler;
  handle(request: Request, caller: Identity): Promise<Response>;
}

/** One address for both revisions: sessions for the older one, single requests for the newer. */
export function createEndpoint(deps: EndpointDeps): Endpoint {
  const { sessions, bodyMsMax, ports } = deps;
  const modern = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo?.extra?.caller as Identity;
      return createClientServer(caller, { subscriptions: new Map() }, deps);
    },
    {
      legacy: 'reject',
      onerror: ({ message }) => ports.log('info', 'mcp-rejected', { reason: message }),
    },
  );
  const serve = async (request: Request, caller: Identity): Promise<Response> => {
    if (request.method !== 'POST') return sessions.handle(request, caller, undefined);
    if (!isJsonContentType(request.headers.get('content-type'))) {
      throw new Unreadable(fault('CONTENT_TYPE_REFUSED', {}), 415, -32600);
    }
    const { text, value: body } = await readBody(request, bodyMsMax);
    await whenKnown(body, deps);
    refuseContradiction(request, body, deps);
    const plain = plainCall(request, body);
    if (plain) return answerPlainCall(plain, text, request.signal, caller, deps);
    if (await isLegacyRequest(request, body)) return sessions.handle(request, caller, body);
    const authInfo = { token: '', clientId: caller.actor, scopes: [], extra: { caller } };
    const answer = () => modern.fetch(request, { parsedBody: body, authInfo });
    if (!isJsonObject(body) || body.method !== 'subscriptions/listen') return answer();
    const stopHearing = await hearResources(body, request.signal, caller, deps);
    const response = await answer();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) stopHearing();
    return response;
  };
  const handle = async (request: Request, caller: Identity): Promise<Response> => {
    try {
      return await serve(request, caller);
    } catch (error) {
      return refusal(error, caller, deps);
    }
  };
  return { modern, handle };
}

/** A call waits for its own server and for no other; whoever wants a list wants all of them. */
async function whenKnown(body: Json, { gathered, upstreams }: EndpointDeps): Promise<void> {
  const { method, params } = isJsonObject(body) ? body : {};
  const { name } = isJsonObject(params ?? null) ? (params as JsonObject) : {};
  if (method !== 'tools/call') return void (await gathered);
  if (!isOwnName(String(name))) await (upstreams.inside(String(name))?.upstream.ready ?? gathered);
}

/** Only the newer revision repeats arguments in headers, and only over HTTP from end to end. */
function refuseContradiction({ headers }: Request, body: Json, { upstreams }: EndpointDeps): void {
  const isPlain = headers.get('mcp-method') !== 'tools/call' || headers.has(bridgeHeader);
  if (isPlain || !isJsonObject(body)) return;
  const { name, arguments: given = {} } = (body.params ?? {}) as JsonObject;
  const tool = upstreams.find(String(name));
  if (!tool || !isJsonObject(given)) return;
  const header = contradictingHeader(tool.definition.inputSchema, given, headers);
  if (header)
    throw new Unreadable(fault('HEADER_CONTRADICTS', { header }), 400, headerMismatch, body);
}

const headerMismatch = -32020;

/** An error of the protocol, with the fault beside it for whoever can read that. */
async function refusal(error: unknown, { actor }: Identity, deps: EndpointDeps): Promise<Response> {
  const tool = error instanceof Unreadable ? error.tool : undefined;
  if (tool !== undefined) {
    const refused = toFault((error as Unreadable).cause);
    await deps.ports.record(actor, refused, { tool: tool.slice(0, 200) });
  }
  return protocolRefusal(error);
}
