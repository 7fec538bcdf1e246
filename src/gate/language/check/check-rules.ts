import { type Json, type JsonObject, tryOr } from '../../../kernel/index.ts';
import type { Expression } from '../../expression/index.ts';
import type { CompiledContract, CompiledPolicy, CompiledRule } from '../compile/compiled.ts';
import type { PolicyRemark } from './finding.ts';

/** Rules with a constant result, and rules that never refuse anything. */
export function checkRules(policy: CompiledPolicy): PolicyRemark[] {
  const vars = (policy.document.variables ?? {}) as JsonObject;
  return [
    ...[...policy.contracts.values()].flatMap((contract) => ofContract(contract, vars)),
    ...[...policy.agents.values()].flatMap(({ name, constraints }) =>
      [...constraints].flatMap(([tool, rules]) =>
        ofRules(rules, `agents.${name}.constraints.${tool}`, vars),
      ),
    ),
  ];
}

function ofContract(contract: CompiledContract, vars: JsonObject): PolicyRemark[] {
  const at = `tools.${contract.tool}`;
  const { approval, produces, recovery } = contract;
  const conditions: [string, Expression | null | undefined][] = [
    [`${at}.governance.approval.when`, approval?.when],
    ...produces.map(
      ({ when }, index) => [`${at}.produces.${index}.when`, when] as [string, Expression | null],
    ),
    ...recovery.steps.map(
      (step, index) =>
        [`${at}.recovery.steps.${index}.when`, 'when' in step ? step.when : null] as [
          string,
          Expression | null,
        ],
    ),
  ];
  return [
    ...ofRules(contract.preconditions, `${at}.preconditions`, vars),
    ...ofRules(contract.invariants, `${at}.invariants`, vars),
    ...ofRules(contract.results, `${at}.results`, vars),
    ...conditions.flatMap(([where, when]) => (when ? ofCondition(when, where, vars) : [])),
  ];
}

function ofRules(rules: readonly CompiledRule[], at: string, vars: JsonObject): PolicyRemark[] {
  return rules.flatMap(({ rule, that, soft }) => {
    const where = `${at}.${rule}`;
    const findings: PolicyRemark[] = [];
    const constant = constantOf(that, vars);
    if (constant === true) findings.push(alwaysHolds(where, that));
    if (constant === false) findings.push(neverHolds(where, that, soft));
    if (soft) findings.push(softRule(where));
    return findings;
  });
}

function alwaysHolds(where: string, { text }: Expression): PolicyRemark {
  const message = `it always holds: ${text}`;
  return { level: 'warning', where, message, remedy: 'Name what it is about, or remove it.' };
}

function neverHolds(where: string, { text }: Expression, soft: boolean): PolicyRemark {
  const message = `it never holds${soft ? '' : ', so every call is denied'}: ${text}`;
  return { level: soft ? 'warning' : 'error', where, message, remedy: 'Correct the expression.' };
}

function softRule(where: string): PolicyRemark {
  const message = 'it is soft: it warns and refuses nothing';
  return { level: 'note', where, message, remedy: 'Remove "soft: true" to make it count.' };
}

function ofCondition(when: Expression, where: string, vars: JsonObject): PolicyRemark[] {
  const constant = constantOf(when, vars);
  if (typeof constant !== 'boolean') return [];
  const message = `it is ${constant ? 'always' : 'never'} so: ${when.text}`;
  const remedy = constant ? 'Leave "when" out.' : 'Correct it, or remove what depends on it.';
  return [{ level: 'warning', where, message, remedy }];
}

/** The value of an expression that reads only variables of the policy. */
export function constantOf(expression: Expression, vars: JsonObject): Json | undefined {
  if (!expression.paths.every((path) => /^vars(?:$|[.[])/.test(path))) return undefined;
  return tryOr(() => expression.evaluate({ vars }), undefined);
}
