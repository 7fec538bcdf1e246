import type { Problem } from '../../../document/index.ts';
import { canonicalJson, type JsonObject, sha256 } from '../../../kernel/index.ts';
import { secretProblems } from '../check/secret-problems.ts';
import { policySchema } from '../document.ts';
import { Compilation, sortedEntries } from './compilation.ts';
import { AgentCompiler, checkBudgets } from './compile-agents.ts';
import { compileContract, readsTrajectory } from './compile-contract.ts';
import type { CompiledAgent, CompiledContract, CompiledPolicy } from './compiled.ts';
import { budgetLimits } from './merge-roles.ts';

export interface CompileOptions {
  /** Tools without a contract that the runtime offers; absent if any name is accepted. */
  readonly natives?: readonly string[];
}

/**
 * Compiles a valid, complete document, and returns its mistakes. With mistakes, the policy must not
 * be used.
 */
export function compileDocument(
  document: JsonObject,
  { natives }: CompileOptions,
): { readonly policy: CompiledPolicy; readonly problems: readonly Problem[] } {
  const parsed = policySchema.parse(document);
  const compilation = new Compilation(parsed, natives ?? null);
  const contracts = sortedEntries(parsed.tools).map(([tool, contract]) =>
    compileContract(compilation, tool, contract),
  );
  const compiler = new AgentCompiler(compilation);
  const agents = sortedEntries(parsed.agents).map(([name, agent]) => compiler.compile(name, agent));
  checkBudgets(compilation, parsed.budgets, ['budgets']);
  const policy = {
    hash: sha256(canonicalJson(document)),
    mode: parsed.mode,
    contracts: new Map(
      contracts.map((contract) => [contract.tool, markTrajectoryUse(contract, agents)]),
    ),
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    budgets: budgetLimits(parsed.budgets),
    coding: parsed.coding,
    document,
  };
  return { policy, problems: [...compilation.problems, ...secretProblems(document)] };
}

/** Whether a tool needs its trajectory, for its contract or for an agent's rule. */
function markTrajectoryUse(
  contract: CompiledContract,
  agents: readonly CompiledAgent[],
): CompiledContract {
  const rules = agents.flatMap(({ constraints }) => constraints.get(contract.tool) ?? []);
  const usesTrajectory = contract.usesTrajectory || rules.some(({ that }) => readsTrajectory(that));
  return usesTrajectory === contract.usesTrajectory ? contract : { ...contract, usesTrajectory };
}
