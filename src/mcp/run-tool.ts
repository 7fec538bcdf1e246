import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Client } from '../http/index.ts';
import { fault, type Instant, isFault } from '../kernel/index.ts';
import { answerOf, refusalOf } from './answer.ts';
import { withProgress } from './progress.ts';
import type { Tool } from './tool.ts';
import { tools } from './tools/index.ts';
import { unknownAgent } from './unknown-agent.ts';

export interface McpDeps {
  readonly actor: string;
  readonly version: string;
  /** Asked for each call: the daemon may have been started, or started again, in between. */
  readonly connect: () => Client;
  readonly now: () => Instant;
}

/** A verification starts services and runs every suite twice. */
const answerMsMax = 10 * 60 * 1_000;

export async function runTool(
  name: string,
  given: Record<string, unknown>,
  context: ServerContext,
  { actor, connect, now }: McpDeps,
): Promise<CallToolResult> {
  const { run, searched, input } = tools[name] as Tool;
  const options = { signal: context.mcpReq.signal, answerMsMax, actor };
  const from = now();
  try {
    const { cursor: _, ...checked } = check(name, input, given);
    const answer = await withProgress(context, () => run(connect(), checked, options));
    return answerOf(answer, { tool: name, arguments: given, from, until: now(), searched });
  } catch (error) {
    return refusalOf(isFault(error, 'UNAUTHORIZED') ? unknownAgent(actor) : error, name);
  }
}

function check(tool: string, input: z.ZodObject, given: unknown): Record<string, unknown> {
  const { success, data, error } = input.safeParse(given ?? {});
  if (success) return data;
  const reason = error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');
  throw fault('TOOL_ARGUMENTS', { tool, reason });
}
