import { once } from 'node:events';
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { z } from 'zod';
import { registerPrompts } from './prompts.ts';
import { registerResources } from './resources.ts';
import { type McpDeps, runTool } from './run-tool.ts';
import { tools } from './tools/index.ts';

const instructions = `Surety decides what agents may do, executes it once, and proves changes on the real running system.
Begin with get_context. To act: list_contracts, check_plan, propose.
To change the system: open_task, submit_test (must fail now), propose_change, verify_change, promote_change.
A refused call says why, and in its remedy what would make it pass. A long answer has "next": ask again with it as cursor.`;

/** Speaks MCP on standard input and output until the client leaves. Holds no state. */
export async function serveMcp(deps: McpDeps): Promise<void> {
  serveStdio(() => createServer(deps));
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
}

/** Surety's own tools, resources and prompts for one agent, in whichever revision it speaks. */
export function createServer(deps: McpDeps): McpServer {
  const server = new McpServer({ name: 'surety', version: deps.version }, { instructions });
  for (const [name, { title, description, input, searched }] of Object.entries(tools)) {
    const annotations = { readOnlyHint: searched !== undefined, openWorldHint: false };
    server.registerTool(
      name,
      { title, description, inputSchema: shownOnly(input), annotations },
      (given, context) => runTool(name, given as Record<string, unknown>, context, deps),
    );
  }
  registerResources(server, deps);
  registerPrompts(server);
  return server;
}

/** ToolAnswer to clients as it is; what is wrong with a call, `runTool` says, with a remedy. */
function shownOnly(input: z.ZodObject): StandardSchemaWithJSON {
  const standard = input['~standard'] as StandardSchemaWithJSON['~standard'];
  return { '~standard': { ...standard, validate: (value) => ({ value }) } };
}
