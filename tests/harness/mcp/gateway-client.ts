import { readFileSync } from 'node:fs';
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { agentTokenFile } from '../../../src/runtime/identities.ts';
import { readDaemonFile } from '../../../src/runtime/state-files.ts';
import { suretyProgram } from '../programs.ts';
import { whenTestEnds } from '../when-test-ends.ts';
import type { Workspace } from '../workspace.ts';
import { workspaceVariable } from '../workspace-processes.ts';

/** Both revisions: with `initialize`, and with `server/discover`. */
export const revisions = ['legacy', 'modern'] as const;
export type Revision = (typeof revisions)[number];

export function gatewayUrl({ place }: Workspace): string {
  return `http://127.0.0.1:${readDaemonFile(place)?.port}/mcp`;
}

export function agentToken({ place }: Workspace, agent: string): string {
  return readFileSync(agentTokenFile(place, agent), 'utf8').trim();
}

export function negotiation(revision: Revision): ClientOptions {
  const mode = revision === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
  return { versionNegotiation: { mode } };
}

export interface ConnectOptions extends ClientOptions {
  readonly over?: 'http' | 'stdio';
  readonly prepare?: (client: Client) => void;
}

/** The SDK's own client at the real gateway of a workspace. */
export async function connectGateway(
  workspace: Workspace,
  agent: string,
  revision: Revision,
  { over = 'http', prepare, ...options }: ConnectOptions = {},
): Promise<Client & AsyncDisposable> {
  const client = new Client(
    { name: 'test', version: '1' },
    { ...negotiation(revision), ...options },
  );
  prepare?.(client);
  whenTestEnds(() => client.close());
  await client.connect(
    over === 'http' ? httpTransport(workspace, agent) : bridge(workspace, agent),
  );
  // Before its workspace: a bridge is one of that workspace's processes.
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

function httpTransport(workspace: Workspace, agent: string): StreamableHTTPClientTransport {
  const headers = { authorization: `Bearer ${agentToken(workspace, agent)}` };
  return new StreamableHTTPClientTransport(new URL(gatewayUrl(workspace)), {
    requestInit: { headers },
  });
}

function bridge({ root }: Workspace, agent: string): StdioClientTransport {
  const args = [suretyProgram, 'mcp', 'gateway', '--agent', agent, '--directory', root];
  const env = { ...process.env, [workspaceVariable]: root } as Record<string, string>;
  return new StdioClientTransport({ command: process.execPath, args, env });
}

/** What a refused call says, in fields. */
export interface Denial {
  readonly code: string;
  readonly rule: string | null;
  readonly message: string;
  readonly remedy: string;
  readonly retryable: boolean;
  readonly evidence_needed: readonly { evidence: string; tools: readonly string[] }[];
  readonly repeats: number;
  readonly final: boolean;
  readonly [more: string]: unknown;
}

export interface ToolAnswer {
  readonly refused: boolean;
  readonly value: Denial & Record<string, unknown>;
  readonly text: string;
}

export async function call(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Promise<ToolAnswer> {
  const answer = await client.callTool({ name, arguments: given, _meta: meta });
  const [first] = answer.content;
  return {
    refused: answer.isError === true,
    value: (answer.structuredContent ??
      answer._meta?.['surety/denial'] ??
      {}) as ToolAnswer['value'],
    text: first?.type === 'text' ? first.text : '',
  };
}
