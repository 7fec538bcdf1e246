import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Instant, type JsonObject, showInstant } from '../kernel/index.ts';
import { type Bounded, boundDeed, boundLook } from './bound.ts';
import { denialOf } from './denial.ts';
import { shortMembers } from './short.ts';
import type { Range, ToolAnswer } from './told.ts';
import { nameTools } from './tool-names.ts';

/** A call as it was made, and when. */
export interface AskedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly from: Instant;
  readonly until: Instant;
  /** Of a call that looks: what it looked through. */
  readonly searched: string | undefined;
}

/** Says with every answer what it is an answer to, so that a model can tell what it did not see. */
export function answerOf(told: ToolAnswer, call: AskedCall): CallToolResult {
  const { cursor } = call.arguments as { readonly cursor?: string };
  const bounded = call.searched === undefined ? boundDeed(told) : boundLook(told, cursor);
  const { value, text, next } = bounded;
  const searched = told.searched ?? call.searched;
  const asked = describe({ ...call, searched }, told.range ?? call);
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

function describe(call: AskedCall, { from, until }: Range): Asked {
  const { tool, searched } = call;
  const range = { from: showInstant(from), until: showInstant(until) };
  const given = shortMembers(call.arguments);
  return { tool, arguments: given, ...range, ...(searched === undefined ? {} : { searched }) };
}

function footer({ tool, arguments: given, from, until, searched }: Asked, next: Bounded['next']) {
  const where = searched === undefined ? '' : `; searched: ${searched}`;
  const asked = `Asked: ${tool} ${JSON.stringify(given)}, ${from} to ${until}${where}.`;
  if (next === null) return asked;
  return `${asked}\nThere is more: ${tool} again, with "cursor": "${next}".`;
}

/** A refusal is an answer, too: it says what would make the call pass, in names to call. */
export function refusalOf(error: unknown, tool: string): CallToolResult {
  const { content, structuredContent } = denialOf(error, tool, 'approval_status') as JsonObject;
  const [{ text }] = content as [{ text: string }];
  const told = boundDeed({ value: structuredContent as object, text });
  const refusal = {
    isError: true,
    content: [{ type: 'text', text: told.text }],
    structuredContent: told.value,
  };
  return JSON.parse(nameTools(JSON.stringify(refusal)));
}
