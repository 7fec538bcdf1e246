import { z } from 'zod';
import type { Client } from '../http/index.ts';
import type { ToolAnswer } from './told.ts';

/** One thing that an agent can do: calls of the API, and how their answer is told. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Only of a tool that changes nothing: what it looks through. */
  readonly searched?: string;
  run(client: Client, input: z.output<Input>, options: ToolCallOptions): Promise<ToolAnswer>;
}

export interface ToolCallOptions {
  readonly signal: AbortSignal;
  readonly answerMsMax: number;
  /** Who asks: agent:<name>. */
  readonly actor: string;
}

export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  const { searched, input } = definition;
  // What is looked at may be more than one answer tells.
  const whole = searched === undefined ? input : input.extend({ cursor });
  return { ...definition, input: whole } as Tool;
}

const cursor = z
  .string()
  .optional()
  .describe('The `next` of the previous answer, to get the next part.');
