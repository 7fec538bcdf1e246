import {
  CLIENT_CAPABILITIES_META_KEY as capabilitiesKey,
  LOG_LEVEL_META_KEY as levelKey,
  PROTOCOL_VERSION_META_KEY as versionKey,
} from '@modelcontextprotocol/server';
import { type Identity, isJsonObject, type Json, type JsonObject } from '../../../kernel/index.ts';
import { canAnswer } from '../clients/can-answer.ts';
import { type Conversations, type InputQuestion, ownerOf } from '../clients/conversations.ts';
import type { ClientExchange, ProtocolMessage } from '../clients/exchange.ts';
import { statusOf } from '../protocol-error.ts';
import { isProtocolError } from '../upstream/upstream-failure.ts';
import { type CallDeps, callTool, type ToolRequest } from './call-tool.ts';

const revision = '2026-07-28';

interface PlainCall {
  readonly id: string | number;
  readonly params: JsonObject;
}

/**
 * A call of the newer revision that wants nothing but its answer: no progress and no messages.
 * Undefined for every other message, and for every message with which something is wrong: those are
 * the SDK's.
 */
export function plainCall({ headers }: Request, body: Json): PlainCall | undefined {
  if (!isJsonObject(body) || body.method !== 'tools/call' || body.jsonrpc !== '2.0')
    return undefined;
  const { id, params, method: _, jsonrpc: __, ...beside } = body;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  // It would be handed on unread: to some parsers "Params" is the same as "params".
  if (Object.keys(beside).length > 0) return undefined;
  if (!isJsonObject(params ?? null)) return undefined;
  const { name, arguments: given = {}, _meta: meta, ...others } = params as JsonObject;
  if (typeof name !== 'string' || !isJsonObject(given) || Object.keys(others).length > 0) {
    return undefined;
  }
  const isHeaded =
    headers.get('mcp-protocol-version') === revision &&
    headers.get('mcp-method') === 'tools/call' &&
    headers.get('mcp-name') === name;
  return isHeaded && isPlain(meta ?? null) ? { id, params: params as JsonObject } : undefined;
}

function isPlain(meta: Json): boolean {
  if (!isJsonObject(meta) || meta[versionKey] !== revision) return false;
  if (meta.progressToken !== undefined || meta[levelKey] !== undefined) return false;
  return isJsonObject(meta[capabilitiesKey] ?? null);
}

export interface PlainDeps extends CallDeps {
  readonly conversations: Conversations;
}

export async function answerPlainCall(
  { id, params }: PlainCall,
  text: string,
  gone: AbortSignal,
  caller: Identity,
  deps: PlainDeps,
): Promise<Response> {
  const { _meta: meta = {} } = params as { _meta?: JsonObject };
  const request = { caller, params, gone, onProgress: undefined, raw: { text, id } };
  const call = { ...request, meta: (isModern: boolean) => (isModern ? meta : {}) };
  try {
    const result = await converse(call, meta[capabilitiesKey] as JsonObject, deps);
    return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
  } catch (error) {
    if (!isProtocolError(error)) throw error;
    const { code, message, data } = error;
    const status = statusOf(error);
    return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status });
  }
}

/** What the client answers to a question comes with a request of its own, by way of the SDK. */
function converse(
  call: Omit<ToolRequest, 'exchange'>,
  capabilities: JsonObject,
  deps: PlainDeps,
): Promise<JsonObject> {
  const { caller, params, gone } = call;
  const can = (request: ProtocolMessage): boolean => canAnswer(capabilities, request);
  const exchange = (ask: InputQuestion): ClientExchange => ({
    caller,
    can,
    ask: async (request, name) => {
      if (can(request)) return ask(request, name);
      throw new Error(`the client does not take ${request.method}`);
    },
    tell: () => undefined,
    pause: () => undefined,
  });
  if (Object.keys(capabilities).length === 0) {
    return callTool({ ...call, exchange: exchange(askNobody) }, deps);
  }
  const owner = (): string => ownerOf(caller, 'tools/call', params);
  return deps.conversations.begin({ owner, gone }, (ask, left) =>
    callTool({ ...call, gone: left, exchange: exchange(ask) }, deps),
  );
}

const askNobody: InputQuestion = () => Promise.reject(new Error('there is nobody to ask'));
