import type { JsonObject } from '../../src/kernel/index.ts';
import { tools } from './tools.ts';

interface Message {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: JsonObject };
}

/** How often each tool was really called. */
export const counts: Record<string, number> = { pay: 0, look: 0 };

/** A server of both revisions that does next to nothing: what is measured stands before it. */
export function answerTo({ id, method, params }: Message): JsonObject | undefined {
  if (id === undefined) return undefined;
  const result = resultOf(method, params ?? {});
  if (result) return { jsonrpc: '2.0', id, result: { ...result, resultType: 'complete' } };
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
}

const info = { name: 'bench', version: '1' };
const capabilities = { tools: {} };
const fresh = { ttlMs: 0, cacheScope: 'private' };

function resultOf(method: string, params: NonNullable<Message['params']>): JsonObject | undefined {
  switch (method) {
    case 'initialize':
      return { protocolVersion: '2025-11-25', capabilities, serverInfo: info };
    case 'server/discover': {
      const _meta = { 'io.modelcontextprotocol/serverInfo': info };
      return { supportedVersions: ['2026-07-28'], capabilities, ...fresh, _meta };
    }
    case 'ping':
      return {};
    case 'tools/list':
      return { tools, ...fresh } as unknown as JsonObject;
    case 'tools/call':
      return called(params.name ?? '', params.arguments ?? {});
    default:
      return undefined;
  }
}

function called(tool: string, { orderId = '' }: JsonObject): JsonObject {
  counts[tool] = (counts[tool] ?? 0) + 1;
  const content = [{ type: 'text', text: `${tool} ${orderId}` }];
  return { content, structuredContent: { orderId, done: true } };
}
