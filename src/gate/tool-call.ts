import type { Json, JsonObject, Lease } from '../kernel/index.ts';
import type { CompiledContract } from './language/index.ts';

/** One execution of a tool by the runtime itself. */
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
 * How the runtime executes tools that say how (`run` in their contract). Throws TOOL_FAILED when
 * the effect did not take place, TOOL_IN_DOUBT when nobody can tell.
 */
export type RunTool = (call: ToolCall) => Promise<Json>;

/** Somebody has to be told: a person decides, or has to put something right. */
export interface Notice {
  readonly event: 'proposal-held' | 'recovery-held' | 'stop-set' | 'policy-rejected';
  readonly facts: JsonObject;
}

export type Notify = (notice: Notice) => void;
