import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { suretyProgram } from '../programs.ts';
import { whenTestEnds } from '../when-test-ends.ts';
import type { Workspace } from '../workspace.ts';
import { workspaceVariable } from '../workspace-processes.ts';

/** What a tool answered: its structured content, and the text that a model reads. */
export interface ToolAnswer {
  readonly refused: boolean;
  readonly value: Record<string, unknown>;
  readonly text: string;
}

/** The command line that serves MCP for an agent of a workspace. */
export function mcpCommand(workspace: Workspace, agent: string): string[] {
  return [process.execPath, suretyProgram, 'mcp', '--agent', agent, '--directory', workspace.root];
}

/** The real `surety mcp` process, spoken to by the SDK's own client. */
export class AgentClient implements AsyncDisposable {
  readonly client: Client;
  /** Whatever arrived on standard output and was no protocol. */
  readonly strayOutput: Error[] = [];

  private constructor(mode: VersionNegotiationMode) {
    this.client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    this.client.onerror = (error) => this.strayOutput.push(error);
    whenTestEnds(() => this.client.close());
  }

  static async connect(
    workspace: Workspace,
    agent: string,
    mode: VersionNegotiationMode = 'legacy',
  ): Promise<AgentClient> {
    const [command = '', ...args] = mcpCommand(workspace, agent);
    const env = { ...process.env, [workspaceVariable]: workspace.root } as Record<string, string>;
    const agentClient = new AgentClient(mode);
    await agentClient.client.connect(new StdioClientTransport({ command, args, env }));
    return agentClient;
  }

  async call(
    name: string,
    given: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<ToolAnswer> {
    const options = { timeout: 120_000, ...(signal ? { signal } : {}) };
    const answer = await this.client.callTool({ name, arguments: given }, options);
    const [first] = answer.content;
    return {
      refused: answer.isError === true,
      value: (answer.structuredContent ?? {}) as ToolAnswer['value'],
      text: first?.type === 'text' ? first.text : '',
    };
  }

  /** Sends a signal to the `surety mcp` process. */
  signal(name: NodeJS.Signals): void {
    const { transport } = this.client;
    const { pid } = transport as StdioClientTransport;
    if (typeof pid !== 'number') throw new Error('surety mcp does not run');
    process.kill(pid, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
