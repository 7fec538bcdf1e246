import type { JsonObject } from '../../kernel/index.ts';
import type { AgentAction } from '../action.ts';

/** One call of a tool, as a harness reports it to its hook. */
export interface HarnessCall {
  readonly phase: 'before' | 'after';
  readonly session: string;
  /** The harness's own id of the call; null if it has none. */
  readonly call: string | null;
  readonly directory: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly action: AgentAction;
  /** After the call: what the tool answered. */
  readonly response: unknown;
  /** After the call: why it failed; null if it did not. */
  readonly failure: string | null;
}

/** A program in which a coding agent runs, with the protocol of its hooks. */
export interface Harness {
  readonly title: string;
  /** Null for an event that is not about a tool. */
  read(payload: JsonObject): HarnessCall | null;
  /** What the hook prints so that the call does not run and the model reads why. */
  denial(reason: string): JsonObject;
}
