import {
  type AccountRow,
  accountKey,
  type BudgetLimit,
  budgetId,
  type CompiledPolicy,
  freeOf,
} from '../../gate/index.ts';
import type { OperationResponse } from '../../http/contract.ts';
import type { Actor, Clock } from '../../kernel/index.ts';
import { type Ledger, readRow } from '../../ledger/index.ts';

interface BudgetDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly policies: { readonly current: CompiledPolicy | null };
}

type Shown = OperationResponse<'GET /v1/budgets'>['budgets'];

/** Budgets of the workspace and of every agent; an agent sees its own and the workspace's. */
export async function listBudgets(deps: BudgetDeps, actor: Actor): Promise<Shown> {
  const policy = deps.policies.current;
  const agents = [...(policy?.agents.values() ?? [])].filter(({ name }) => {
    return !actor.startsWith('agent:') || actor === `agent:${name}`;
  });
  const scopes: [string, readonly BudgetLimit[]][] = [
    ['workspace', policy?.budgets ?? []],
    ...agents.map(({ name, budgets }): [string, readonly BudgetLimit[]] => [
      `agent:${name}`,
      budgets,
    ]),
  ];
  return (await Promise.all(scopes.map(([scope, limits]) => show(scope, limits, deps)))).flat();
}

async function show(
  scope: string,
  limits: readonly BudgetLimit[],
  { ledger, clock }: BudgetDeps,
): Promise<Shown> {
  if (limits.length === 0) return [];
  const row = (await readRow<AccountRow>(ledger, accountKey(scope))) ?? {};
  return limits.map(({ dimension, limit, perMs }) => {
    const budget = budgetId(dimension, perMs);
    const state = row[budget] ?? { spent: 0, reserved: 0 };
    const free = freeOf(state, limit, perMs, clock.now());
    const { reserved } = state;
    return { account: scope, budget, limit, spent: limit - reserved - free, reserved, free };
  });
}
