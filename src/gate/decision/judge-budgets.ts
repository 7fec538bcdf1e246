import { formatBudget, type Instant, showInstant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import {
  type AccountLimit,
  accountKey,
  budgetId,
  type Charge,
  chargesFor,
  rateLimit,
  type Shortfall,
  shortfall,
} from '../accounts/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import type { BudgetLimit } from '../language/index.ts';
import { type TaskRow, taskKey } from '../tasks/index.ts';
import type { Assessment } from './assess.ts';
import { type DecisionInput, deny, isTaskTool } from './question.ts';

/** The accounts of workspace, agent and tool that a call charges, besides its task. */
export interface Demands {
  readonly limits: readonly AccountLimit[];
  readonly charges: readonly Charge[];
}

export function demandsOf(question: DecisionInput, { costs }: Assessment): Demands {
  const { policy, agent, contract, tool, task, actor } = question;
  const limits: AccountLimit[] = [];
  const limit = (account: string, { dimension, limit: most, perMs }: BudgetLimit): void => {
    limits.push({ account, budget: budgetId(dimension, perMs), limit: most });
  };
  for (const budget of policy?.budgets ?? []) limit(accountKey('workspace'), budget);
  if (agent) {
    const own = accountKey(`agent:${agent.name}`);
    for (const budget of agent.budgets) limit(own, budget);
    for (const rate of agent.limits.rates) limits.push(rateLimit(own, rate));
  }
  for (const rate of contract?.rates ?? []) {
    const whose = {
      agent: `${actor}/${tool}`,
      tool: `tool:${tool}`,
      task: `${task ?? actor}/${tool}`,
    };
    limits.push(rateLimit(accountKey(whose[rate.by]), rate));
  }
  return { limits, charges: limits.length > 0 ? chargesFor(limits, costs) : [] };
}

export function judgeBudgets(
  { limits, charges }: Demands,
  question: DecisionInput,
  { costs }: Assessment,
  rows: ReadRows,
  now: Instant,
): { said: RuleFinding[]; charges: readonly Charge[] } {
  const short = limits.length > 0 ? shortfall(rows, limits, charges, now) : null;
  const said = short ? [tooLittle(short)] : [];
  const { task } = question;
  const own = task === undefined ? undefined : rows.get<TaskRow>(taskKey(task));
  if (!own || isTaskTool(question)) return { said, charges };
  const carved = chargeTask(own, costs, said);
  return { said, charges: [...charges, ...carved] };
}

/** Charges the carved budgets of the task. Dimensions without a limit are not counted. */
function chargeTask(row: TaskRow, costs: Assessment['costs'], said: RuleFinding[]): Charge[] {
  const charges: Charge[] = [];
  // Sorted, because a stored row may return its keys in another order.
  const budgets = Object.entries(row.budgets).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [budget, { limit, spent, reserved, carved }] of budgets) {
    const amount = costs.get(budget);
    if (amount === undefined) continue;
    const account = taskKey(row.task);
    const free = limit - spent - reserved - carved;
    if (amount > free || (amount === 0 && free <= 0)) {
      said.push(tooLittle({ account, budget, limit, free, wanted: amount, returnsAt: null }));
    }
    charges.push({ account, budget, amount });
  }
  return charges;
}

function tooLittle({ account, budget, limit, free, wanted, returnsAt }: Shortfall): RuleFinding {
  const whose = account.replace(/^(?:account|task)\//, '');
  const name = formatBudget(budget);
  const reason = `${whose} has ${free} of ${limit} ${name} left, and this call needs ${wanted}`;
  if (returnsAt === null) {
    const remedy = 'Ask for a larger budget, or use less: this budget is not renewed.';
    return deny(`budget/${budget}`, reason, remedy);
  }
  const remedy = `The budget is available again at ${showInstant(returnsAt)}. A smaller call may fit now.`;
  return deny(`budget/${budget}`, reason, remedy, { retryAt: returnsAt });
}
