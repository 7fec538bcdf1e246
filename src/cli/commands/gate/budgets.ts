import { formatBudget } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { budgets } = await connectDaemon(place).call('GET /v1/budgets', {});
  output.value({ budgets });
  for (const { account, budget, limit, spent, reserved, free } of budgets) {
    const left = output.tone(free > 0 ? 'good' : 'bad', `${free} of ${limit} left`);
    output.line(
      `${account}  ${formatBudget(budget)}  ${left}, ${spent} spent, ${reserved} reserved`,
    );
  }
  if (budgets.length === 0) output.line('The policy sets no budget.');
};
