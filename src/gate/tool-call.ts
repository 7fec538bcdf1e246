import type { Json, JsonObject, Lease } from '../kernel/index.ts';
import type { CompiledContract } from './language/index.ts';

/** One execution of a tool by the runtime. */
export interface ToolCall {
  readonly contract: CompiledContract;
  readonly arguments: JsonObject;
  /** The same for every attempt of the same action. */
  readonly key: string | undefined;
  readonly proposal: string;
  readonly leases: readonly Pick<Lease, 'resource' | 'fence'>[];
  readonly signal: AbortSignal;
}

/**
 * Executes a tool by its contract's `run`. Throws TOOL_FAILED if the effect did not take place, and
 * TOOL_IN_DOUBT if that is unknown.
 */
export type RunTool = (call: ToolCall) => Promise<Json>;

/** A message for a person who has to decide or repair something. */
export interface Notice {
  readonly event:
    | 'proposal-held'
    | 'recovery-held'
    | 'report-refused'
    | 'stop-set'
    | 'policy-rejected'
    | 'task-lost'
    | 'incident-opened'
    | 'incident-closed'
    | 'promotion-held'
    | 'promotion-returned'
    | 'promotion-stuck';
  readonly facts: JsonObject;
}

export type Notify = (notice: Notice) => void;
