import { z } from 'zod';
import { type Client, type OperationKey, operations } from '../http/index.ts';
import type { ToolAnswer } from './tool-answer.ts';

/** A tool for agents: the API calls it makes, and how it formats their answer. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly description: string;
  readonly input: Input;
  /** The structured content of a complete answer. */
  readonly output: z.ZodObject;
  /** What it searches; only tools that change nothing have this. */
  readonly searched?: string;
  /**
   * The agent needs one of these names of the gate, or any contract, for the tool to be listed.
   * Only the list depends on it: the gate decides every call.
   */
  readonly needs?: readonly string[] | 'contracts';
  run(client: Client, input: z.output<Input>, options: ToolCallOptions): Promise<ToolAnswer>;
}

export interface ToolCallOptions {
  readonly signal: AbortSignal;
  readonly answerMsMax: number;
  /** The caller: agent:<name>. */
  readonly actor: string;
  /** The client as it calls itself, as in `claude-code 2.1`; undefined if it did not. */
  readonly framework?: string | undefined;
  /** The tools that are usable with these rights, by name. */
  readonly usableTools: (allowed: Allowed) => readonly string[];
}

/** The caller's rights under the policy, as far as a tool may need them. */
export interface Allowed {
  readonly natives: readonly string[];
  readonly contracts: readonly unknown[];
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

/** Operations whose response is an object with known members. */
type ObjectKey = {
  [Key in OperationKey]: (typeof operations)[Key]['response'] extends z.ZodObject ? Key : never;
}[OperationKey];

/** The answer of a tool that gives the responses of API operations. */
export function responses(...keys: readonly ObjectKey[]): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const key of keys) {
    const members: [string, z.ZodType][] = Object.entries(operations[key].response.shape);
    for (const [name, member] of members) {
      const other = shape[name];
      shape[name] = other ? z.union([other, member]) : member;
    }
  }
  return z.object(shape);
}
