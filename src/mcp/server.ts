import { once } from 'node:events';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Client } from '../http/index.ts';
import { isFault } from '../kernel/index.ts';
import { answerOf, refusalOf } from './answer.ts';
import { withProgress } from './progress.ts';
import { type Tool, tools } from './tools.ts';
import { unknownAgent } from './unknown-agent.ts';

export interface McpDeps {
  readonly agent: string;
  readonly version: string;
  /** Asked for each call: the daemon may have been started, or started again, in between. */
  readonly connect: () => Client;
}

/** A verification starts services and runs every suite twice. */
const answerMsMax = 10 * 60 * 1_000;

const instructions = `Surety proves a change on the real running system before it becomes part of it.
The way of a task: open_task, submit_test (must fail now), propose_change, verify_change, promote_change.
A refused call says why, and in its remedy what would make it pass. get_task tells where a task stands.`;

/** Speaks MCP on standard input and output until the client leaves. Holds no state. */
export async function serveMcp(deps: McpDeps): Promise<void> {
  serveStdio(() => createServer(deps));
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
}

function createServer(deps: McpDeps): McpServer {
  const server = new McpServer({ name: 'surety', version: deps.version }, { instructions });
  for (const [name, tool] of Object.entries(tools)) {
    const { title, description, input, readOnly = false } = tool;
    const annotations = { readOnlyHint: readOnly, openWorldHint: false };
    server.registerTool(
      name,
      { title, description, inputSchema: input, annotations },
      (given, context) => runTool(name, given, context, deps),
    );
  }
  return server;
}

async function runTool(
  name: string,
  given: Record<string, unknown>,
  context: ServerContext,
  { agent, connect }: McpDeps,
) {
  const tool = tools[name] as Tool;
  const options = { signal: context.mcpReq.signal, answerMsMax };
  try {
    return answerOf(await withProgress(context, () => tool.run(connect(), given, options)));
  } catch (error) {
    return refusalOf(isFault(error, 'UNAUTHORIZED') ? unknownAgent(agent) : error, name);
  }
}
