import type { CallToolResult } from '@modelcontextprotocol/server';
import { toFault } from '../kernel/index.ts';
import { nameToolsIn } from './tool-names.ts';

/** What a tool says: the whole of it for programs, a few lines for a model. */
export interface Told {
  readonly value: object;
  readonly text: string;
}

export function answerOf({ value, text }: Told): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...value } };
}

/** A refusal is an answer, too: it says what would make the call pass. */
export function refusalOf(error: unknown): CallToolResult {
  const report = nameToolsIn(toFault(error).report());
  const { code, message, remedy } = report;
  const text = `${code}: ${message}\nTry: ${remedy}`;
  return { isError: true, content: [{ type: 'text', text }], structuredContent: { ...report } };
}
