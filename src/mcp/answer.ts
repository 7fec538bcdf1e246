import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Instant, type JsonObject, showInstant } from '../kernel/index.ts';
import { type BoundedAnswer, boundAction, boundRead } from './bound.ts';
import { denialOf } from './denial.ts';
import { shortMembers } from './short.ts';
import type { Range, ToolAnswer } from './tool-answer.ts';
import { nameTools } from './tool-names.ts';

/** A call as it was made, and when. */
export interface CallRecord {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly from: Instant;
  readonly until: Instant;
  /** What a call that changes nothing searches. */
  readonly searched: string | undefined;
}

/** Adds to every answer what it answers, so that a model knows what it has not seen. */
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
  const { content, structuredContent } = denialOf(error, tool, 'approval_status') as JsonObject;
  const [{ text }] = content as [{ text: string }];
  const bounded = boundAction({ value: structuredContent as object, text });
  const refusal = {
    isError: true,
    content: [{ type: 'text', text: bounded.text }],
    structuredContent: bounded.value,
  };
  return JSON.parse(nameTools(JSON.stringify(refusal)));
}
