import {
  CLIENT_CAPABILITIES_META_KEY as capabilitiesKey,
  LOG_LEVEL_META_KEY as levelKey,
  PROTOCOL_VERSION_META_KEY as versionKey,
} from '@modelcontextprotocol/server';
import { type Identity, isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { type CallDeps, callTool } from './call-tool.ts';
import type { Message } from './exchange.ts';
import { statusOf } from './protocol-error.ts';
import { isProtocolError } from './upstream-failure.ts';

const revision = '2026-07-28';

interface PlainCall {
  readonly id: string | number;
  readonly params: JsonObject;
}

/**
 * A call of the newer revision that wants nothing but its answer: no progress, no messages, and
 * nobody there whom a server could ask. Undefined for every other message, and for every message
 * with which something is wrong: those are the SDK's.
 */
export function plainCall({ headers }: Request, body: Json): PlainCall | undefined {
  if (!isJsonObject(body) || body.method !== 'tools/call' || body.jsonrpc !== '2.0')
    return undefined;
  const { id, params } = body;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
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
  const capabilities = meta[capabilitiesKey] ?? null;
  return isJsonObject(capabilities) && Object.keys(capabilities).length === 0;
}

export async function answerPlainCall(
  { id, params }: PlainCall,
  text: string,
  gone: AbortSignal,
  caller: Identity,
  deps: CallDeps,
): Promise<Response> {
  const exchange = {
    caller,
    can: () => false,
    ask: async ({ method }: Message) => {
      throw new Error(`the client does not take ${method}`);
    },
    tell: () => undefined,
  };
  const { _meta: meta = {} } = params as { _meta?: JsonObject };
  const raw = { text, id };
  const request = { caller, params, exchange, gone, onProgress: undefined, raw };
  try {
    const result = await callTool({ ...request, meta: (isModern) => (isModern ? meta : {}) }, deps);
    return Response.json({ jsonrpc: '2.0', id, result: { ...result, resultType: 'complete' } });
  } catch (error) {
    if (!isProtocolError(error)) throw error;
    const { code, message, data } = error;
    const status = statusOf(error);
    return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status });
  }
}
