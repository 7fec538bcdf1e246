import { expect, test } from 'vitest';
import { mcpLimits } from '../../limits.ts';
import type { ClientServerDeps } from './client-server.ts';
import { ClientSessions } from './sessions.ts';

const caller = { actor: 'agent:ada', roles: ['agent'] } as const;
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

async function open(sessions: ClientSessions): Promise<string> {
  const clientInfo = { name: 'x', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers });
  const response = await sessions.handle(request, caller, body);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

test('limits.agentEventBytesMax: holds for all sessions of an agent together', async () => {
  // Every session begins with an answer that contains them.
  const instructions = 'x'.repeat(mcpLimits.agentEventBytesMax / 2);
  const upstream = { isUp: false, olderCapabilities: {}, instructions };
  const upstreams = { all: [upstream], isOnly: true };
  const sessions = new ClientSessions({ version: '1', upstreams } as unknown as ClientServerDeps);
  const comeBack = async (id: string): Promise<number> => {
    const resumed = { ...headers, 'mcp-session-id': id, 'last-event-id': '2' };
    const request = new Request('http://127.0.0.1/mcp', { headers: resumed });
    return (await sessions.handle(request, caller, undefined)).status;
  };
  const first = await open(sessions);
  expect(await comeBack(first)).toBe(200);
  const second = await open(sessions);
  expect([await comeBack(first), await comeBack(second)]).toEqual([400, 200]);
  await sessions.close();
});
