import { gateLimits } from '../../limits.ts';
import type { CompiledContract, CompiledPolicy } from '../compile/compiled.ts';
import type { PolicySource } from '../sources/source-files.ts';
import { checkAgents } from './check-agents.ts';
import { checkBudgetReach } from './check-budgets.ts';
import { checkRules } from './check-rules.ts';
import type { PolicyRemark } from './finding.ts';

export interface CheckOptions {
  /** Tools that the runtime offers without a contract. */
  readonly natives?: readonly string[];
  /** Tools that agents called or servers offer. Each needs a contract. */
  readonly tools?: readonly string[];
  /** Roles that people have; absent if unknown, and then approvals are not checked. */
  readonly roles?: readonly string[];
  /** Kinds of evidence that the runtime produces itself. */
  readonly evidence?: readonly string[];
  /** The user's own files; absent if unknown. What they do not declare comes from packs. */
  readonly own?: readonly PolicySource[];
}

/** The findings of `surety policy check`: errors first, otherwise in document order. */
export function checkPolicy(policy: CompiledPolicy, options: CheckOptions = {}): PolicyRemark[] {
  const findings = [
    ...checkContracts(policy, options),
    ...checkRules(policy),
    ...checkAgents(policy, options.own),
    ...checkBudgetReach(policy),
    ...[...policy.contracts.values()].flatMap(stepsOf),
  ];
  const order: readonly PolicyRemark['level'][] = ['error', 'warning', 'note'];
  return findings.sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
}

function checkContracts(policy: CompiledPolicy, options: CheckOptions): PolicyRemark[] {
  return [
    ...undeclared(policy, options),
    ...[...policy.contracts.values()].flatMap((contract) => [
      ...unused(contract, policy, options),
      ...approvalsOf(contract, options),
      ...evidenceOf(contract, policy, options),
    ]),
  ];
}

function undeclared(
  policy: CompiledPolicy,
  { natives = [], tools = [] }: CheckOptions,
): PolicyRemark[] {
  const named = [...policy.agents.values()].flatMap((agent) =>
    agent.tools.filter((pattern) => !pattern.includes('*')),
  );
  return [...new Set([...named, ...tools])]
    .filter((tool) => !policy.contracts.has(tool) && !natives.includes(tool))
    .map((tool) => ({
      level: 'error',
      where: `tools.${tool}`,
      message: `${tool} has no contract: every call of it is denied`,
      remedy: 'Write a contract for it, or take it away from whoever has it.',
    }));
}

/** Nobody can remove a tool from a pack, and an included pack may offer more than is needed. */
function unused(
  { tool }: CompiledContract,
  policy: CompiledPolicy,
  { own }: CheckOptions,
): PolicyRemark[] {
  const isUsed = [...policy.agents.values()].some((agent) => agent.allows(tool));
  const isOfPack = own?.every(({ tools }) => !tools.includes(tool)) ?? false;
  if (isUsed || isOfPack || isNamedByAnother(tool, policy)) return [];
  const remedy = `Give it to an agent or a role under tools, or remove it.`;
  return [{ level: 'warning', where: `tools.${tool}`, message: 'no agent may use it', remedy }];
}

/** As a read, or in the recovery of another tool. */
function isNamedByAnother(tool: string, { contracts }: CompiledPolicy): boolean {
  return [...contracts.values()].some(
    ({ reads, recovery }) =>
      reads.some((read) => read.tool === tool) ||
      recovery.steps.some((step) => {
        if (step.kind === 'reconcile') return step.read === tool;
        return (step.kind === 'compensate' || step.kind === 'fallback') && step.tool === tool;
      }),
  );
}

function approvalsOf(
  { tool, approval }: CompiledContract,
  { roles }: CheckOptions,
): PolicyRemark[] {
  if (!approval || !roles || roles.includes(approval.role)) return [];
  return [
    {
      level: 'error',
      where: `tools.${tool}.governance.approval.role`,
      message: `nobody has the role ${approval.role}: what waits for it waits in vain`,
      remedy: `Give the role to somebody under people in surety.yaml, or name one of: ${roles.join(', ')}.`,
    },
  ];
}

function evidenceOf(
  { tool, evidence }: CompiledContract,
  { contracts }: CompiledPolicy,
  { evidence: made = [] }: CheckOptions,
): PolicyRemark[] {
  const produced = [...contracts.values()].flatMap(({ produces }) => produces);
  return evidence
    .filter(({ kind }) => !made.includes(kind) && !produced.some((one) => one.evidence === kind))
    .map(({ kind }) => ({
      level: 'warning',
      where: `tools.${tool}.governance.evidence.${kind}`,
      message: `no contract produces ${kind}: every call is denied unless somebody else does`,
      remedy: 'Say under produces which tool makes it.',
    }));
}

/** The largest cost of deciding about one call. */
function stepsOf(contract: CompiledContract): PolicyRemark[] {
  const { preconditions, invariants, resources, key, cost, evidence, approval } = contract;
  const expressions = [
    ...[...preconditions, ...invariants].map(({ that }) => that),
    ...resources,
    ...cost.map(({ amount }) => amount),
    ...evidence.map(({ subject }) => subject),
    ...[key, approval?.when, contract.concurrency?.lock].flatMap((one) => one ?? []),
  ];
  const sum = expressions.reduce((total, { stepsMax }) => total + stepsMax, 0);
  const greatest = expressions.reduce((most, { stepsMax }) => Math.max(most, stepsMax), 0);
  if (sum === 0) return [];
  const message = `deciding takes at most ${sum} steps, ${greatest} in one expression`;
  const remedy = `One expression may take ${gateLimits.expressionStepsMax}; bound lists and texts to lower it.`;
  return [{ level: 'note', where: `tools.${contract.tool}`, message, remedy }];
}
