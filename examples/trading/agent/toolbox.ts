import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export interface Answer {
  /** The call was refused or failed; `value` then has code, message, remedy and retryable. */
  refused: boolean;
  value: Record<string, unknown>;
  text: string;
}

/** The tools of an MCP server. */
export interface Toolbox {
  call(tool: string, given: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** Long enough for the slowest suite. */
const ANSWER_MS = 10 * 60 * 1_000;

export async function connectToolbox([command = '', ...args]: string[]): Promise<Toolbox> {
  const client = new Client({ name: 'trading-agent', version: '1.0.0' });
  const env = process.env as Record<string, string>;
  await client.connect(new StdioClientTransport({ command, args, env }));
  return {
    call: (tool, given) => callTool(client, tool, given),
    close: () => client.close(),
  };
}

async function callTool(
  client: Client,
  name: string,
  given: Record<string, string>,
): Promise<Answer> {
  const result = await client.callTool({ name, arguments: given }, { timeout: ANSWER_MS });
  const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''));
  return {
    refused: result.isError === true,
    value: (result.structuredContent ?? {}) as Answer['value'],
    text: texts.join('\n'),
  };
}
