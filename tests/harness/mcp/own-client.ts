import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { whenTestEnds } from '../when-test-ends.ts';
import type { Workspace } from '../workspace.ts';
import { workspaceVariable } from '../workspace-processes.ts';
import { mcpCommand } from './agent-client.ts';
import { agentToken, gatewayUrl, negotiation, type Revision } from './gateway-client.ts';

export type Way = 'http' | 'stdio';

/** The SDK's own client at Surety's own tools, by either way that leads to them. */
export async function connectOwn(
  workspace: Workspace,
  agent: string,
  revision: Revision,
  way: Way,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, negotiation(revision));
  whenTestEnds(() => client.close());
  await client.connect(way === 'http' ? overHttp(workspace, agent) : overStdio(workspace, agent));
  return client;
}

function overHttp(workspace: Workspace, agent: string): StreamableHTTPClientTransport {
  const headers = { authorization: `Bearer ${agentToken(workspace, agent)}` };
  const url = new URL(`${gatewayUrl(workspace)}/surety`);
  return new StreamableHTTPClientTransport(url, { requestInit: { headers } });
}

function overStdio(workspace: Workspace, agent: string): StdioClientTransport {
  const [command = '', ...args] = mcpCommand(workspace, agent);
  const env = { ...process.env, [workspaceVariable]: workspace.root } as Record<string, string>;
  return new StdioClientTransport({ command, args, env });
}
