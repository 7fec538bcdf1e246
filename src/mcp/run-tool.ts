import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Client } from '../http/index.ts';
import { fault, type Instant, isFault, showInstant } from '../kernel/index.ts';
import { type BoundedAnswer, boundAction, boundRead } from './bound.ts';
import { denialOf } from './denial.ts';
import { usableTools } from './list-tools.ts';
import { shortMembers } from './short.ts';
import type { Tool } from './tool.ts';
import type { Range, ToolAnswer } from './tool-answer.ts';
import { nameTools, remedyForAgents } from './tool-names.ts';
import { tools } from './tools/index.ts';
import { unknownAgent } from './unknown-agent.ts';

export interface McpDeps {
  readonly actor: string;
  readonly version: string;
  /** Called for each call, because the daemon may have been started or restarted in between. */
  readonly connect: () => Client;
  readonly now: () => Instant;
  /** Which client is asking, as far as it says so. */
  readonly framework?: () => string | undefined;
}

/** A verification starts services and runs every suite twice. */
const answerMsMax = 10 * 60 * 1_000;

export async function runTool(
  name: string,
  given: Record<string, unknown>,
  context: ServerContext,
  { actor, connect, now, framework }: McpDeps,
): Promise<CallToolResult> {
  const { run, searched, input } = tools[name] as Tool;
  const asked = { signal: context.mcpReq.signal, answerMsMax, actor, usableTools };
  const options = { ...asked, framework: framework?.() };
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

/** Shorter than the 60 s after which many clients give up on a silent call. */
const tellEveryMs = 10_000;

/** Sends progress to a client that asked for it. */
async function withProgress<Result>(
  { mcpReq }: ServerContext,
  work: () => Promise<Result>,
): Promise<Result> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: 'still working' };
    // A client that has disconnected ends the call by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, tellEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** A call as it was made, and when. */
interface CallRecord {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly from: Instant;
  readonly until: Instant;
  /** What a call without an effect searches. */
  readonly searched: string | undefined;
}

/** Adds the question to every answer, so that a model knows what was not searched. */
export function answerOf(answer: ToolAnswer, call: CallRecord): CallToolResult {
  const { cursor } = call.arguments as { readonly cursor?: string };
  const bounded = call.searched === undefined ? boundAction(answer) : boundRead(answer, cursor);
  const { value, text, next } = bounded;
  const searched = answer.searched ?? call.searched;
  const asked = describe({ ...call, searched }, answer.range ?? call);
  return {
    content: [{ type: 'text', text: `${text}\n${footer(asked, next)}` }],
    structuredContent: { ...value, ...(call.searched === undefined ? {} : { next }), asked },
  };
}

interface Asked {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly from: string;
  readonly until: string;
  readonly searched?: string;
}

function describe(call: CallRecord, { from, until }: Range): Asked {
  const { tool, searched } = call;
  const range = { from: showInstant(from), until: showInstant(until) };
  const given = shortMembers(call.arguments);
  return { tool, arguments: given, ...range, ...(searched === undefined ? {} : { searched }) };
}

function footer(
  { tool, arguments: given, from, until, searched }: Asked,
  next: BoundedAnswer['next'],
) {
  const where = searched === undefined ? '' : `; searched: ${searched}`;
  const asked = `Asked: ${tool} ${JSON.stringify(given)}, ${from} to ${until}${where}.`;
  if (next === null) return asked;
  return `${asked}\nThere is more: ${tool} again, with "cursor": "${next}".`;
}

/** A refusal as an answer: it says what would make the call pass, with the names of tools. */
export function refusalOf(error: unknown, tool: string): CallToolResult {
  const denial = denialOf(error, tool, 'approval_status', remedyForAgents);
  const { content, structuredContent } = denial;
  const [{ text }] = content as [{ text: string }];
  const bounded = boundAction({ value: structuredContent as object, text });
  const refusal = {
    isError: true,
    content: [{ type: 'text', text: bounded.text }],
    structuredContent: bounded.value,
  };
  return JSON.parse(nameTools(JSON.stringify(refusal)));
}
