import { z } from 'zod';
import type { Client } from '../http/index.ts';
import type { ToolAnswer } from './tool-answer.ts';

/** A tool for agents: the API calls it makes, and how it formats their answer. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** What it searches; only tools that change nothing have this. */
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
  // What a tool reads may not fit into one answer.
  const whole = searched === undefined ? input : input.extend({ cursor });
  return { ...definition, input: whole } as Tool;
}

const cursor = z
  .string()
  .optional()
  .describe('The `next` of the previous answer, to get the next part.');
