import type { Workspace } from '../workspace.ts';
import { agentToken, gatewayUrl } from './gateway-client.ts';

export interface RawAnswer {
  readonly status: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

export interface RawCall {
  readonly name: string;
  readonly arguments?: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
  readonly capabilities?: object;
  /** More fields beside the name, e.g. `requestState`. */
  readonly more?: Record<string, unknown>;
  readonly signal?: AbortSignal;
}

/** One `tools/call` of 2026-07-28, written by hand: what no client of an SDK would send. */
export async function modernCall(
  workspace: Workspace,
  agent: string,
  { name, arguments: given = {}, meta, capabilities = {}, more, signal }: RawCall,
): Promise<RawAnswer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  };
  const params = { name, arguments: given, _meta, ...more };
  const response = await fetch(gatewayUrl(workspace), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${agentToken(workspace, agent)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    ...(signal ? { signal } : {}),
  });
  const body = (await response.json()) as RawAnswer;
  return { ...body, status: response.status };
}
