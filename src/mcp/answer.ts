import type { CallToolResult } from '@modelcontextprotocol/server';
import { denialOf } from './denial.ts';
import { nameTools } from './tool-names.ts';

/** What a tool says: the whole of it for programs, a few lines for a model. */
export interface Told {
  readonly value: object;
  readonly text: string;
}

export function answerOf({ value, text }: Told): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...value } };
}

/** A refusal is an answer, too: it says what would make the call pass, in names to call. */
export function refusalOf(error: unknown, tool: string): CallToolResult {
  const refusal = denialOf(error, tool, 'approval_status');
  return JSON.parse(nameTools(JSON.stringify(refusal)));
}
