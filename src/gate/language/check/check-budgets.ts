import type { JsonObject } from '../../../kernel/index.ts';
import { shapeOfSchema, type ValueShape } from '../../expression/index.ts';
import type {
  BudgetLimit,
  CompiledContract,
  CompiledCost,
  CompiledPolicy,
} from '../compile/compiled.ts';
import { constantOf } from './check-rules.ts';
import type { PolicyRemark } from './finding.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Calls that cost more than any budget allows. */
export function checkBudgetReach(policy: CompiledPolicy): PolicyRemark[] {
  const vars = (policy.document.variables ?? {}) as JsonObject;
  return [...policy.contracts.values()].flatMap((contract) =>
    contract.cost.flatMap((cost) => {
      const range = rangeOf(cost, contract, vars);
      return range ? compare(contract.tool, cost.dimension, range, policy) : [];
    }),
  );
}

function compare(
  tool: string,
  dimension: string,
  range: Range,
  policy: CompiledPolicy,
): PolicyRemark[] {
  const users = [...policy.agents.values()].filter((agent) => agent.allows(tool));
  const purses: [string, readonly BudgetLimit[]][] = [
    ['budgets', policy.budgets],
    ...users.map(
      ({ name, budgets }) => [`agents.${name}.budgets`, budgets] as [string, BudgetLimit[]],
    ),
  ];
  return purses.flatMap(([where, budgets]) => {
    const limits = budgets.filter((one) => one.dimension === dimension).map(({ limit }) => limit);
    return judge({ tool, dimension, range, where, limit: Math.min(...limits) });
  });
}

function judge({
  tool,
  dimension,
  range: { min, max },
  where,
  limit,
}: {
  readonly tool: string;
  readonly dimension: string;
  readonly range: Range;
  readonly where: string;
  readonly limit: number;
}): PolicyRemark[] {
  const remedy = `Raise the limit, or lower the bounds in the schema of ${tool}.`;
  if (min > limit) {
    const message = `every call of ${tool} costs at least ${min} ${dimension}, the limit is ${limit}: all are denied`;
    return [{ level: 'error', where, message, remedy }];
  }
  if (max <= limit || max === Number.POSITIVE_INFINITY) return [];
  const message = `a call of ${tool} may cost up to ${max} ${dimension}, the limit is ${limit}: above it all are denied`;
  return [{ level: 'note', where, message, remedy }];
}

/** The range of a constant, or of an argument by its schema. */
function rangeOf(
  { amount }: CompiledCost,
  { schema }: CompiledContract,
  vars: JsonObject,
): Range | undefined {
  const constant = constantOf(amount, vars);
  if (typeof constant === 'number') return { min: constant, max: constant };
  const [, name] = /^arguments\.(\w+)$/.exec(amount.text.trim()) ?? [];
  const shape = name === undefined ? undefined : fieldOf(shapeOfSchema(schema), name);
  if (shape?.kind !== 'int') return undefined;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = shape;
  return { min, max };
}

function fieldOf(shape: ValueShape, name: string): ValueShape | undefined {
  return shape.kind === 'object' ? shape.fields[name] : undefined;
}
