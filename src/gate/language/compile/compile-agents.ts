import type { Path } from '../../../document/index.ts';
import type { BudgetDocument } from '../contract-schema.ts';
import type { AgentDocument, RoleDocument } from '../document.ts';
import { type Compilation, didYouMean, sortedEntries } from './compilation.ts';
import type { CompiledAgent, CompiledRule } from './compiled.ts';
import { mergeRoles } from './merge-roles.ts';
import { matcherOf, matchesPattern } from './patterns.ts';

type Rules = ReadonlyMap<string, readonly CompiledRule[]>;

/** Compiles each role once, however many agents have it. */
export class AgentCompiler {
  readonly #compilation: Compilation;
  readonly #roles = new Map<string, Rules>();

  constructor(compilation: Compilation) {
    this.#compilation = compilation;
    for (const [name, role] of sortedEntries(compilation.policy.roles)) {
      this.#roles.set(name, this.#ownRules(role, ['roles', name]));
    }
  }

  compile(name: string, agent: AgentDocument): CompiledAgent {
    const path = ['agents', name];
    const roles = this.#rolesOf(agent, path);
    const documents = roles.map((role) => this.#compilation.policy.roles[role] as RoleDocument);
    const { lost, ...merged } = mergeRoles(agent, documents);
    for (const pattern of lost) {
      const index = agent.resources?.indexOf(pattern) ?? 0;
      const message = `no role of ${name} has ${pattern}; an agent's resources narrow its roles'`;
      this.#compilation.complain([...path, 'resources', index], message);
    }
    const own = this.#ownRules(agent, path);
    return {
      name,
      roles,
      ...merged,
      allows: matcherOf(merged.tools),
      constraints: joinRules([own, ...roles.map((role) => this.#roles.get(role) as Rules)]),
    };
  }

  #rolesOf({ roles }: AgentDocument, path: Path): string[] {
    const known = this.#compilation.policy.roles;
    return [...new Set(roles)].filter((role, index) => {
      if (Object.hasOwn(known, role)) return true;
      const hint = didYouMean(role, Object.keys(known));
      this.#compilation.complain([...path, 'roles', index], `there is no role ${role}${hint}`);
      return false;
    });
  }

  #ownRules(role: RoleDocument, path: Path): Rules {
    for (const [index, pattern] of role.tools.entries()) {
      this.#checkPattern(pattern, [...path, 'tools', index]);
    }
    checkBudgets(this.#compilation, role.budgets, [...path, 'budgets']);
    const rules = new Map<string, readonly CompiledRule[]>();
    for (const [pattern, given] of sortedEntries(role.constraints)) {
      const place = [...path, 'constraints', pattern];
      this.#checkPattern(pattern, place);
      for (const tool of this.#toolsOf(pattern)) {
        const { deciding, assessing } = this.#compilation.scopes(tool);
        // A tool without a contract has no history of calls.
        const scope = this.#compilation.contract(tool) ? deciding : assessing;
        const compiled = this.#compilation.rules(given, { path: place, scope });
        rules.set(tool, [...(rules.get(tool) ?? []), ...compiled]);
      }
    }
    return rules;
  }

  #checkPattern(pattern: string, path: Path): void {
    const { tools } = this.#compilation;
    if (!tools || tools.some((tool) => matchesPattern(pattern, tool))) return;
    const hint = didYouMean(pattern, tools);
    this.#compilation.complain(path, `no tool is called ${pattern}${hint}`);
  }

  #toolsOf(pattern: string): string[] {
    const known = this.#compilation.tools ?? Object.keys(this.#compilation.policy.tools);
    const found = known.filter((tool) => matchesPattern(pattern, tool));
    // A name without `*` counts as a tool even if it is unknown, so that its rule is not lost.
    return found.length === 0 && !pattern.includes('*') ? [pattern] : found;
  }
}

function joinRules(all: readonly Rules[]): Rules {
  const joined = new Map<string, readonly CompiledRule[]>();
  for (const rules of all) {
    for (const [tool, list] of rules) joined.set(tool, [...(joined.get(tool) ?? []), ...list]);
  }
  return joined;
}

/** Reports two budgets for the same dimension and window in one list. */
export function checkBudgets(
  compilation: Compilation,
  budgets: readonly BudgetDocument[],
  path: Path,
): void {
  budgets.forEach(({ dimension, per }, index) => {
    const first = budgets.findIndex((other) => other.dimension === dimension && other.per === per);
    if (first === index) return;
    const message = `there are two budgets of ${dimension}${per ? ` per ${per}` : ''}`;
    compilation.complain([...path, index], message);
  });
}
