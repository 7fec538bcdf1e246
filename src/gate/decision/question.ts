import type { Actor, Json, JsonObject } from '../../kernel/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import type { CompiledAgent, CompiledContract, CompiledPolicy, Mode } from '../language/index.ts';

/** Every input of a decision besides rows and clock. The entry contains each, or its hash. */
export interface DecisionInput {
  readonly actor: Actor;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly argumentsHash: string;
  /** Facts that Surety's own tools provide about the call. */
  readonly facts: JsonObject;
  readonly task: string | undefined;
  readonly key: string | undefined;
  readonly reported: Readonly<Record<string, number>>;
  readonly policy: CompiledPolicy | null;
  readonly contract: CompiledContract | null;
  readonly agent: CompiledAgent | null;
  /** One of Surety's own tools, which check their arguments themselves and need no contract. */
  readonly isNative: boolean;
  /** The results of the contract's reads, by name. */
  readonly reads: Readonly<Record<string, Json>>;
  /** Why a read failed. Nothing that depends on it can hold. */
  readonly readProblem: string | null;
}

/** Splitting, moving and finishing a task are always allowed to the task itself. */
export function isTaskTool({ isNative, tool }: DecisionInput): boolean {
  return isNative && tool.startsWith('task.');
}

/** Steps of a task that produce evidence and do not change the running system. */
const provingTools = new Set(['test.submit', 'change.propose', 'change.verify']);

/** Whether a call changes something. Most of Surety's own tools do. */
export function hasEffect(question: DecisionInput): boolean {
  const { contract, isNative, tool } = question;
  if (contract) return contract.effect !== 'read';
  return isNative && !isTaskTool(question) && !provingTools.has(tool);
}

/** Whether the policy is enforced or only observed. */
export function modeOf({ contract, policy }: Pick<DecisionInput, 'contract' | 'policy'>): Mode {
  return contract?.mode ?? policy?.mode ?? 'enforce';
}

export const deny = (
  rule: string,
  reason: string,
  remedy: string,
  more: Partial<RuleFinding> = {},
): RuleFinding => ({
  rule,
  verdict: 'deny',
  reason,
  remedy,
  ...more,
});

/** The part of the input that the contract's expressions need. */
export type ExpressionInput = Pick<
  DecisionInput,
  'actor' | 'agent' | 'arguments' | 'reads' | 'policy' | 'contract' | 'isNative'
>;

/**
 * The variables of expressions. Always the same names in the same order, with `undefined` for
 * unknown ones, because expressions read such objects much faster.
 */
export interface KnownValues extends Record<string, Json | undefined> {
  arguments: Json;
  reads: Json;
  agent: Json;
  vars: Json;
  now: Json | undefined;
  task: Json | undefined;
  trajectory: Json | undefined;
  seen: Json | undefined;
  begun: Json | undefined;
  result: Json | undefined;
}

export function valuesOf(question: ExpressionInput): KnownValues {
  const { actor, agent, arguments: given, reads, policy } = question;
  return {
    arguments: given,
    reads: reads as JsonObject,
    agent: agent ? agentValue(agent) : { name: actor.slice(actor.indexOf(':') + 1), roles: [] },
    vars: (policy?.document.variables ?? noVariables) as JsonObject,
    now: undefined,
    task: undefined,
    trajectory: undefined,
    seen: undefined,
    begun: undefined,
    result: undefined,
  };
}

const noVariables: JsonObject = Object.freeze({});

/** Computed once per agent of a policy. */
const agentValues = new WeakMap<CompiledAgent, Json>();

function agentValue(agent: CompiledAgent): Json {
  const known = agentValues.get(agent);
  if (known !== undefined) return known;
  const value = { name: agent.name, roles: [...agent.roles] };
  agentValues.set(agent, value);
  return value;
}
