import type { CompiledAgent, CompiledContract, CompiledPolicy } from '../compile/compiled.ts';
import { coversPattern } from '../compile/patterns.ts';
import { policySchema } from '../document.ts';
import type { PolicySource } from '../sources/source-files.ts';
import type { PolicyRemark } from './finding.ts';

/** Redundant or unlimited permissions of agents and roles. */
export function checkAgents(
  policy: CompiledPolicy,
  own: readonly PolicySource[] | undefined,
): PolicyRemark[] {
  const { agents, roles } = policySchema.parse(policy.document);
  return [
    ...[...policy.agents.values()].flatMap((agent) => [
      ...unbounded(agent, policy),
      ...idle(agent, policy),
    ]),
    ...Object.entries(agents).flatMap(([name, agent]) =>
      shadowed(
        name,
        agent.tools,
        agent.roles.map((role) => [`the role ${role}`, roles[role]?.tools ?? []]),
      ),
    ),
    ...Object.keys(roles)
      .filter((role) => !Object.values(agents).some((agent) => agent.roles.includes(role)))
      .filter((role) => own?.some((source) => source.roles.includes(role)) ?? true)
      .map(unusedRole),
  ];
}

function changing(agent: CompiledAgent, { contracts }: CompiledPolicy): CompiledContract[] {
  return [...contracts.values()].filter(
    ({ tool, effect }) => effect === 'mutating' && agent.allows(tool),
  );
}

function unbounded(agent: CompiledAgent, policy: CompiledPolicy): PolicyRemark[] {
  const [first] = changing(agent, policy);
  if (!first || agent.budgets.length > 0) return [];
  const message = `it may call ${first.tool} and has no budget`;
  const remedy = 'Give it budgets, at least of calls: [{dimension: calls, limit: 1000, per: 1d}].';
  return [{ level: 'warning', where: `agents.${agent.name}.budgets`, message, remedy }];
}

function idle(agent: CompiledAgent, policy: CompiledPolicy): PolicyRemark[] {
  const where = `agents.${agent.name}`;
  if (agent.tools.length === 0) {
    const remedy = 'Give it tools or a role that has some, or remove it.';
    return [{ level: 'warning', where: `${where}.tools`, message: 'it has no tools', remedy }];
  }
  const [first] = changing(agent, policy);
  if (agent.autonomy !== 'read-only' || !first) return [];
  const message = `it is read-only: ${first.tool} and whatever else changes something is denied`;
  const remedy = 'Take these tools away from it, or raise its autonomy.';
  return [{ level: 'warning', where: `${where}.autonomy`, message, remedy }];
}

type Grants = readonly (readonly [whose: string, tools: readonly string[]])[];

/** A pattern that grants nothing new. */
function shadowed(name: string, own: readonly string[], ofRoles: Grants): PolicyRemark[] {
  return own.flatMap((pattern, index) => {
    const others: Grants = [...ofRoles, ['the agent', own.filter((_, other) => other !== index)]];
    const [shadow] = others.filter(([, tools]) => tools.some((one) => coversPattern(one, pattern)));
    if (!shadow) return [];
    const message = `${shadow[0]} has ${pattern} already: removing it here would take nothing away`;
    const remedy = 'Remove it here, or narrow the other one.';
    return [{ level: 'note', where: `agents.${name}.tools.${index}`, message, remedy }];
  });
}

function unusedRole(role: string): PolicyRemark {
  const remedy = 'Give it to an agent under roles, or remove it.';
  return { level: 'warning', where: `roles.${role}`, message: 'no agent has it', remedy };
}
